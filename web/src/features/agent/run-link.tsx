import { Link } from "@tanstack/react-router";
import { cx } from "@/lib/cx";

interface RunTextProps {
  text: string;
  /** The run of the procurement agent that the text leads to. */
  run: string | undefined;
  workspace: string;
  className?: string;
}

/** A text that leads to a run, if there is one: the procurement agent's name, or what it did. */
export function RunText({ text, run, workspace, className }: RunTextProps) {
  if (!run) return text;
  return (
    <Link
      to="/w/$workspace/agent-runs/$run"
      params={{ workspace, run }}
      className={cx(
        "rounded-sm text-accent-ink underline decoration-dotted underline-offset-2 hover:decoration-solid",
        className,
      )}
    >
      {text}
    </Link>
  );
}
