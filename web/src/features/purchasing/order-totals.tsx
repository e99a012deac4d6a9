import type { Total } from "@/api/types.gen";
import { Amount } from "./parts";

const amounts = [
  ["ordered", "Ordered"],
  ["received", "Received"],
  ["given_up", "Given up"],
  ["expected", "Still expected"],
] as const satisfies readonly (readonly [keyof Total, string])[];

/** An order's totals by status and currency; nothing before anything is ordered. */
export function OrderTotals({ totals }: { totals: readonly Total[] }) {
  const ordered = totals.filter((total) => [total.ordered, total.received].some((one) => Number(one) > 0));
  if (ordered.length === 0) return null;
  return (
    <section aria-label="What the order comes to" className="mb-4 flex flex-col gap-2">
      {ordered.map((total) => (
        <dl
          key={total.currency}
          className="grid grid-cols-2 gap-x-6 gap-y-2 rounded-lg border border-line bg-raised px-4 py-2.5 sm:flex sm:flex-wrap"
        >
          {amounts.map(([key, name]) => (
            <div key={key} className="min-w-24">
              <dt className="text-muted text-xs">{name}</dt>
              <dd className="font-medium tabular-nums">
                <Amount amount={total[key]} currency={total.currency} />
              </dd>
            </div>
          ))}
        </dl>
      ))}
    </section>
  );
}
