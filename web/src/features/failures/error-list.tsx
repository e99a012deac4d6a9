import { useMemo } from "react";
import type { Column, FailureDetail } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { errorsTitle } from "@/messages/failure";
import { type Verdict, verdicts } from "./marks";
import { Part } from "./part";
import { reasonLabel } from "./reasons";

// Only three lines are shown; the payload below has the rest.
const maxShown = 500;

/** The errors of a record, each with the expected and the received value. */
export function ErrorList({ detail, columns }: { detail: FailureDetail; columns: readonly Column[] }) {
  const { failure, payload, errors } = detail;
  const { locale } = useLocale();
  const all = useMemo(() => verdicts(payload, errors, columns, locale), [payload, errors, columns, locale]);
  return (
    <Part title={errorsTitle({ count: all.length }, locale)}>
      {all.length === 0 && (
        <p>
          <span className="font-medium">{reasonLabel(failure.code)}:</span> {failure.message}
          {failure.http_status >= 500 && " The record itself may be fine: retry it unchanged."}
        </p>
      )}
      {all.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
          {all.map((one) => (
            <Wrong key={one.field + one.message} verdict={one} />
          ))}
        </ul>
      )}
    </Part>
  );
}

function Wrong({ verdict }: { verdict: Verdict }) {
  const { field, reason, message, expected, received } = verdict;
  return (
    <li className="grid gap-x-4 gap-y-1 px-3 py-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <p className="min-w-0">
        <code className="wrap-anywhere font-mono font-semibold text-bad-ink text-xs">
          {field || "the record"}
        </code>
        <span className="block text-muted text-xs">{reason}</span>
      </p>
      {expected ? (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3">
          <dt className="text-subtle text-xs">Expected</dt>
          <dd>{expected}</dd>
          <dt className="text-subtle text-xs">Received</dt>
          <dd className="wrap-anywhere min-w-0">
            {received === undefined ? (
              <span className="text-bad-ink">nothing</span>
            ) : (
              <code className="line-clamp-3 font-mono text-bad-ink text-xs leading-5">
                {received.slice(0, maxShown)}
              </code>
            )}
          </dd>
        </dl>
      ) : (
        <p className="wrap-anywhere">{message}</p>
      )}
    </li>
  );
}
