import { CircleAlert, CircleCheck } from "lucide-react";
import type { TestAnswer } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { leftOut } from "@/messages/failure";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import type { Outcome, Retry } from "./use-retry";

interface OutcomeNoteProps {
  outcome: Outcome;
  onRetry: (retry: Retry) => void;
  retrying: boolean;
}

/** The result of the last retry on this page. */
export function OutcomeNote({ outcome, onRetry, retrying }: OutcomeNoteProps) {
  const { sent } = outcome;
  if ("answer" in outcome)
    return (
      <AnswerNote
        answer={outcome.answer}
        good={outcome.answer.result === "stale" ? "Closed: a newer delivery is stored." : "Stored."}
        bad="Refused again; it stays open."
      />
    );
  if (outcome.error.code !== "newer") return <ErrorNote error={outcome.error} />;
  return (
    <div role="alert" className="rounded-md bg-warn-soft px-3 py-2.5 text-warn-ink">
      <p className="font-medium">The record was changed after this import failed.</p>
      <p className="mt-0.5">
        A newer write has stored its own values. Overwriting replaces them with the fields of this payload;
        other fields stay as they are.
      </p>
      <Button
        size="sm"
        className="mt-2"
        loading={retrying}
        onClick={() => onRetry({ ...sent, overwrite: true })}
      >
        Overwrite anyway
      </Button>
    </div>
  );
}

interface AnswerNoteProps {
  answer: TestAnswer;
  good: string;
  bad: string;
}

/** A summary of the endpoint's answer: whether it accepts the record, and the errors. */
export function AnswerNote({ answer, good, bad }: AnswerNoteProps) {
  const { locale } = useLocale();
  const fine = answer.status === 200;
  const Icon = fine ? CircleCheck : CircleAlert;
  return (
    <div
      role="status"
      className={
        fine
          ? "rounded-md bg-good-soft px-3 py-2 text-good-ink"
          : "rounded-md bg-bad-soft px-3 py-2 text-bad-ink"
      }
    >
      <p className="flex items-center gap-2 font-medium">
        <Icon className="size-4 shrink-0" aria-hidden />
        {fine ? good : bad}
      </p>
      {answer.errors.length > 0 && (
        <ul className="mt-1 ml-6 list-disc">
          {answer.errors.map((one) => (
            <li key={one.pointer + one.code} className="wrap-anywhere">
              {one.detail}
            </li>
          ))}
        </ul>
      )}
      {answer.dropped.length > 0 && (
        <p className="mt-1 ml-6">
          {leftOut({ count: answer.dropped.length }, locale)}{" "}
          {answer.dropped.map((name, index) => (
            <span key={name}>
              {index > 0 && ", "}
              <code className="font-mono text-xs">{name}</code>
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
