import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { doneOf } from "@/messages/parts";

export interface ProgressPart {
  value: number;
  tone: "good" | "bad" | "warn" | "neutral";
}

const tones = { good: "bg-good", bad: "bg-bad", warn: "bg-warn", neutral: "bg-edge" };

interface ProgressProps {
  /** Names the progress bar, for screen readers. */
  label: string;
  parts: readonly ProgressPart[];
  total: number;
  /** Shows that work is under way, even without progress yet. */
  busy?: boolean;
}

/** A progress bar with the results so far. Show the figures as text beside it. */
export function Progress({ label, parts, total, busy }: ProgressProps) {
  const { locale } = useLocale();
  const done = parts.reduce((sum, part) => sum + part.value, 0);
  const all = Math.max(total, done, 1);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={done}
      aria-valuetext={doneOf({ done, total }, locale)}
      className={cx("flex h-1.5 w-full overflow-hidden rounded-full bg-line", busy && "animate-pulse")}
    >
      {parts.map((part) => (
        <div
          key={part.tone}
          className={cx("h-full transition-[width] duration-500", tones[part.tone])}
          style={{ width: `${(100 * part.value) / all}%` }}
        />
      ))}
    </div>
  );
}
