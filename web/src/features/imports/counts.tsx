import type { Import } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { Num } from "@/ui/num";

/** The results of the import so far. */
export function Counts({ one }: { one: Import }) {
  const facts: [name: string, value: number, alarming: boolean][] = [
    ["Created", one.created, false],
    ["Updated", one.updated, false],
    ["Unchanged", one.unchanged, false],
    ["Refused", one.refused, one.refused > 0],
  ];
  return (
    <dl className="mt-4 grid grid-cols-2 gap-3 border-line border-t pt-3 sm:grid-cols-4">
      {facts.map(([name, value, alarming]) => (
        <div key={name}>
          <dt className="text-subtle text-xs">{name}</dt>
          <dd className={cx("text-lg", alarming ? "font-semibold text-bad-ink" : "font-medium text-ink")}>
            <Num value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
