import { useState } from "react";
import type { RecordMoment } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { showAll } from "@/messages/articles";
import { Button } from "@/ui/button";
import { Time } from "@/ui/time";
import { OrderLink } from "./links";
import { type Answer, Part } from "./part";
import { told, who } from "./words";

const few = 10;

/** What people, agents and keys did with the record and its orders. */
export function Moments({ activity }: { activity: Answer<{ moments: RecordMoment[] }> }) {
  const { locale } = useLocale();
  const [all, setAll] = useState(false);
  return (
    <Part
      title="Activity"
      description="Of people, agents and keys."
      of={activity}
      empty={({ moments }) =>
        moments.length === 0 &&
        "Nothing happened lately. Changes by external systems are kept for some weeks."
      }
    >
      {({ moments }) => (
        <>
          <ol className="-my-1.5 divide-y divide-line">
            {(all ? moments : moments.slice(0, few)).map((moment, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same time and words
              <li key={`${moment.at} ${n}`} className="flex flex-wrap justify-between gap-x-3 py-1.5">
                <span className="min-w-0 break-words">
                  <span className="font-medium">{upper(who(moment.by))}</span> {told(moment)}
                  {moment.line_id && moment.order_no && (
                    <>
                      {" "}
                      on <OrderLink order={moment.order_no} line={moment.line_id} />
                    </>
                  )}
                </span>
                <span className="text-muted">
                  <Time value={moment.at} />
                </span>
              </li>
            ))}
          </ol>
          {moments.length > few && !all && (
            <Button size="sm" className="mt-3" onClick={() => setAll(true)}>
              {showAll({ count: moments.length }, locale)}
            </Button>
          )}
        </>
      )}
    </Part>
  );
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
