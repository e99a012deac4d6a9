import { useQuery } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { reviewPurchaseOrderOptions } from "@/api/@tanstack/react-query.gen";
import type { Line, ReviewedLine } from "@/api/types.gen";
import { MonthLine } from "@/features/procurement/month";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { toDecide } from "@/messages/purchasing";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Num } from "@/ui/num";
import { SkeletonText } from "@/ui/skeleton";
import { LineName } from "./line-name";
import { lineTotal, totalsOf } from "./model";
import { Amount, Totals } from "./parts";
import { useMakers } from "./queries";
import { factsOf } from "./review-words";

interface ReviewProps {
  order: string;
  /** The lines that the person may approve. */
  lines: readonly Line[];
}

/** What an approver wants to know before deciding: stock, demand, suggestions, prices and the budget. */
export function Review({ order, lines }: ReviewProps) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  // Every version of the lines is looked at anew.
  const { data, error, refetch } = useQuery(
    reviewPurchaseOrderOptions({ path: { workspace: workspace.id, order } }),
  );
  const known = new Map(data?.lines.map((line) => [line.id, line]));
  return (
    <Card
      flush
      className="mb-4"
      title={
        <span className="flex flex-wrap justify-between gap-x-4">
          {toDecide({ count: lines.length }, locale)}
          <Totals totals={totalsOf(lines)} />
        </span>
      }
      description={data && <MonthLine month={data.month} />}
    >
      {data?.hindrance && (
        <p className="flex items-start gap-2 border-line border-b bg-warn-soft px-4 py-2 text-warn-ink">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          You cannot approve this order: {data.hindrance}.
        </p>
      )}
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && (
        <div className="p-4">
          <SkeletonText lines={3} label="Loading what is known about the lines" />
        </div>
      )}
      {data && (
        <ul aria-label="Lines to decide" className="divide-y divide-line">
          {lines.map((line) => (
            <Reviewed key={line.id} line={line} known={known.get(line.id)} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Reviewed({ line, known }: { line: Line; known: ReviewedLine | undefined }) {
  const { locale } = useLocale();
  const maker = useMakers();
  return (
    <li className="grid gap-x-6 gap-y-1 px-4 py-2.5 md:grid-cols-[minmax(10rem,1fr)_2fr_7rem]">
      <div>
        <LineName line={line} linked />
        <span className="text-subtle text-xs">Made by {maker(line)}</span>
      </div>
      <div className="min-w-0 max-md:order-last">
        <ul className="flex flex-wrap gap-x-4">
          {known &&
            factsOf(line, known, locale).map(({ text, warns }) => (
              <li key={text} className={cx(warns ? "text-warn-ink" : "text-muted", "first-letter:uppercase")}>
                {text}
              </li>
            ))}
        </ul>
        {known?.reason && <p className="text-subtle text-xs">Suggested: {known.reason}</p>}
      </div>
      <span className="flex gap-x-3 md:flex-col md:items-end">
        <span className="font-medium">
          <Amount amount={lineTotal(line)} currency={line.currency} />
        </span>
        <span className="whitespace-nowrap text-muted text-xs max-md:self-center">
          <Num value={line.quantity_ordered} /> ×{" "}
          <Amount amount={line.price_per_unit} currency={line.currency} />
        </span>
      </span>
    </li>
  );
}
