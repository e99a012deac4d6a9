import { TriangleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ColumnTrial, TrialExample } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { reason, refusing, rowsInWords, sourceInWords } from "./trial";

interface TrialNoteProps {
  trial: ColumnTrial;
  column: string;
}

/** What a column's new rules would have refused, with examples. */
export function TrialNote({ trial, column }: TrialNoteProps) {
  const { locale } = useLocale();
  const rows = rowsInWords(trial, locale);
  const note = useRef<HTMLElement>(null);
  // It is below the fields of a long dialog, and whoever does not see it would save anyway.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another trial is shown in the same place
  useEffect(() => {
    note.current?.scrollIntoView({ block: "nearest" });
  }, [trial]);
  return (
    <section
      ref={note}
      aria-label="What these rules would have refused"
      role="status"
      className="flex flex-col gap-3 rounded-md bg-warn-soft px-3 py-2.5 text-warn-ink"
    >
      {refusing(trial).map((source) => (
        <div key={source.by_type + source.by_id}>
          <p className="flex items-start gap-2 font-medium">
            <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
            {sourceInWords(source, locale)}
          </p>
          <Examples column={column} examples={source.examples} />
        </div>
      ))}
      {rows.length > 0 && (
        <div>
          <p className="font-medium">{rows.join(" ")}</p>
          {trial.rows.refused > 0 && <Examples column={column} examples={trial.rows.examples} />}
        </div>
      )}
      {trial.new && (
        <p>The table does not have this column yet. It is not known whether these records carried it.</p>
      )}
    </section>
  );
}

/** How many examples are shown before the list scrolls. */
function Examples({ column, examples }: { column: string; examples: TrialExample[] }) {
  return (
    <ul
      className="mt-1 max-h-32 overflow-y-auto text-ink text-xs"
      // A list that scrolls must be reachable by keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      aria-label="Examples"
    >
      {examples.map((one) => (
        <li key={one.record + (one.at ?? "")} className="flex gap-2 py-0.5">
          <code className="shrink-0 font-mono">{one.key}</code>
          <span className="min-w-0 break-words">{reason(one, column)}</span>
        </li>
      ))}
    </ul>
  );
}
