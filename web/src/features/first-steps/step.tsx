import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Card } from "@/ui/card";

interface StepProps {
  number: number;
  title: string;
  done: boolean;
  /** The step above must be finished first. */
  waits?: boolean;
  /** The choice made in this step. */
  note?: string | undefined;
  children: ReactNode;
}

export function Step({ number, title, done, waits, note, children }: StepProps) {
  return (
    <li>
      <Card
        title={
          <span className="flex items-center gap-2.5">
            <span
              className={cx(
                "grid size-6 place-items-center rounded-full text-xs tabular-nums",
                done ? "bg-good-soft text-good-ink" : "bg-accent-soft text-accent-ink",
              )}
            >
              {done ? <Check className="size-3.5" aria-label="Done" /> : number}
            </span>
            {title}
            {note && <span className="font-normal text-muted">{note}</span>}
          </span>
        }
      >
        {waits ? <p className="text-muted">Finish the step above first.</p> : children}
      </Card>
    </li>
  );
}
