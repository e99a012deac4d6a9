import { Ban, CircleAlert, CircleCheck, CircleDashed, Clock, LoaderCircle, Pin, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import type { Run, RunDecision } from "@/api/types.gen";
import { Badge, type Tone } from "@/ui/badge";
import { undoneState } from "./words";

type Look = [tone: Tone, icon: ReactNode, text: string];

const statuses: Record<Run["status"], Look> = {
  queued: ["neutral", <Clock key="i" aria-hidden />, "Queued"],
  running: ["info", <LoaderCircle key="i" className="animate-spin" aria-hidden />, "Running"],
  done: ["good", <CircleCheck key="i" aria-hidden />, "Done"],
  failed: ["bad", <CircleAlert key="i" aria-hidden />, "Failed"],
};

/** How far a run is, and whether it was undone. */
export function RunBadges({ run }: { run: Run }) {
  const [tone, icon, text] = statuses[run.status];
  const undone = undoneState(run);
  return (
    <span className="inline-flex gap-1.5 align-middle">
      <Badge tone={tone} icon={icon}>
        {text}
      </Badge>
      {undone && <Badge icon={<Undo2 aria-hidden />}>{undone}</Badge>}
    </span>
  );
}

const outcomes: Record<Exclude<RunDecision["outcome"], "none">, Look> = {
  drafted: ["neutral", <CircleDashed key="i" aria-hidden />, "Draft"],
  submitted: ["info", <Clock key="i" aria-hidden />, "Submitted"],
  refused: ["bad", <Ban key="i" aria-hidden />, "Refused"],
  undone: ["neutral", <Undo2 key="i" aria-hidden />, "Undone"],
  kept: ["warn", <Pin key="i" aria-hidden />, "Kept"],
};

/** What came of a decision to draft. */
export function OutcomeBadge({ outcome }: Pick<RunDecision, "outcome">) {
  if (outcome === "none") return <span className="text-subtle">Not drafted</span>;
  const [tone, icon, text] = outcomes[outcome];
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}
