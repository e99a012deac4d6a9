import type { ReactNode } from "react";
import { useLocale } from "@/lib/locale";
import { isDay, spans } from "@/lib/period";
import { absoluteTime, formatDay } from "@/lib/time";
import type { FailureFilter } from "./filter";
import { useTables } from "./queries";
import { Reason } from "./reason";

/** Describes a filter: that of the address, or that of a past bulk retry. */
export function FilterWords({ filter }: { filter: FailureFilter }) {
  const title = useTables();
  const { locale, timeZone } = useLocale();
  const { table, code, field, key, since, until, text } = filter;
  const moment = (value: string) =>
    isDay(value) ? formatDay(value, locale) : absoluteTime(new Date(value), locale, timeZone);
  const named = field && field !== "none" ? field : undefined;
  const words: [string, ReactNode][] = [];
  if (table) words.push(["table", title(table)]);
  if (code) words.push(["code", <Reason key="code" code={code} field={named} />]);
  else if (named) words.push(["field", <code key="field">{named}</code>]);
  if (field === "none" && !code) words.push(["field", "no field named"]);
  if (key) words.push(["key", `key ${key.slice(-6)}`]);
  if (since) words.push(["since", spans[since]?.label.toLowerCase() ?? `from ${moment(since)}`]);
  if (until) words.push(["until", `to ${moment(until)}`]);
  if (text) words.push(["text", `“${text}”`]);
  if (words.length === 0) return <span className="text-muted">everything that is open</span>;
  return (
    <span className="flex flex-wrap items-center gap-x-1.5 gap-y-1 text-muted">
      {words.map(([name, word], index) => (
        <span key={name} className="flex items-center gap-1.5">
          {index > 0 && <span aria-hidden>·</span>}
          <span>{word}</span>
        </span>
      ))}
    </span>
  );
}
