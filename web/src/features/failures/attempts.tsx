import { ChevronRight, CircleAlert, CircleCheck } from "lucide-react";
import type { Attempt, FailureDetail } from "@/api/types.gen";
import { useAgentName, useMemberName } from "@/features/members/queries";
import { cx } from "@/lib/cx";
import { layOut } from "@/lib/json-text";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { attempts as attemptsMade } from "@/messages/failure";
import { Time } from "@/ui/time";
import { Diff } from "./diff";
import { Part } from "./part";

const stored: Record<string, string> = {
  created: "Stored as a new row",
  updated: "Stored: it changed the row",
  unchanged: "Accepted; the row already had these values",
  stale: "Nothing was changed; a newer delivery is stored",
};

/** The retries of a failed import: who, when, with which payload, and the answer. */
export function Attempts({ detail }: { detail: FailureDetail }) {
  const { attempts, payload } = detail;
  const who = useWho();
  const { locale } = useLocale();
  if (attempts.length === 0) return null;
  return (
    <Part title={attemptsMade({ count: attempts.length }, locale)}>
      <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
        {attempts.map((attempt) => (
          <li key={attempt.id} className="px-3 py-2">
            <AttemptHead attempt={attempt} who={who(attempt.by_type, attempt.by_id)} />
            {attempt.payload !== undefined && (
              <details className="group mt-1">
                <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded-sm text-accent-ink text-xs hover:underline">
                  <ChevronRight className="size-3.5 group-open:rotate-90" aria-hidden />
                  What was edited
                </summary>
                <div className="mt-1.5">
                  <Diff before={layOut(payload)} after={layOut(attempt.payload)} />
                </div>
              </details>
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}

function AttemptHead({ attempt, who }: { attempt: Attempt; who: string }) {
  const fine = attempt.status === 200;
  const Icon = fine ? CircleCheck : CircleAlert;
  return (
    <div className="flex items-start gap-2">
      <Icon className={cx("mt-0.5 size-4 shrink-0", fine ? "text-good" : "text-bad-ink")} aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          {fine ? (stored[attempt.code] ?? "Stored") : `${attempt.status}: ${attempt.message}`}
        </p>
        <p className="text-subtle text-xs">
          {who}, <Time value={attempt.at} />
          {attempt.payload === undefined ? ", unchanged" : ", edited"}
        </p>
      </div>
    </div>
  );
}

const others: Record<string, string> = { operator: "command line" };

/** Names an actor, as far as the person may see names. */
export function useWho(): (type: string, id?: string) => string {
  const { person } = usePlace();
  const [memberName, agentName] = [useMemberName(), useAgentName()];
  return (type, id) => {
    if (type === "agent") return agentName(id, "an agent");
    if (type !== "user") return others[type] ?? "Quayside";
    return id === person.id ? "you" : memberName(id);
  };
}
