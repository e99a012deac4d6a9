import { Autocomplete as Base } from "@base-ui/react/autocomplete";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { searchSuppliersOptions } from "@/api/@tanstack/react-query.gen";
import type { QueueSummary } from "@/api/types.gen";
import { summaryQuery } from "@/features/procurement/queries";
import type { Money } from "@/features/purchasing/model";
import { Totals } from "@/features/purchasing/parts";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { toOrderNow } from "@/messages/ordering";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { controlClass, controlText } from "@/ui/input";

interface Choice {
  id: string;
  name: string;
  /** What is to be ordered now; absent: nothing. */
  due?: { lines: number; critical: number; costs: Money[] };
  /** An answer to an earlier text, which must not be picked. */
  stale?: boolean;
}

/** The suppliers with articles to order now, the most urgent first. */
function dueSuppliers(summary: QueueSummary | undefined): Choice[] {
  const found = new Map<string, Required<Pick<Choice, "id" | "name" | "due">>>();
  for (const { supplier, lines, critical, cost, currency = "" } of summary?.suppliers ?? []) {
    if (!supplier) continue;
    const known = found.get(supplier.id)?.due ?? { lines: 0, critical: 0, costs: [] };
    found.set(supplier.id, {
      ...supplier,
      due: {
        lines: known.lines + lines,
        critical: known.critical + critical,
        costs: currency ? [...known.costs, { currency, amount: cost }] : known.costs,
      },
    });
  }
  return [...found.values()];
}

function useChoices(text: string) {
  const { workspace } = usePlace();
  const wanted = useDeferredValue(text.trim());
  const summary = useQuery(summaryQuery(workspace.id));
  const search = useQuery({
    ...searchSuppliersOptions({ path: { workspace: workspace.id }, query: { text: wanted } }),
    placeholderData: keepPreviousData,
  });
  const stale = search.isPending || search.isPlaceholderData || wanted !== text.trim();
  const due = dueSuppliers(summary.data);
  const known = new Set(due.map(({ id }) => id));
  const sought = text.trim().toLocaleLowerCase();
  return {
    stale: stale || summary.isPending,
    failed: [search, summary].find(({ error, data }) => error && !data),
    choices: [
      ...due.filter(({ name }) => name.toLocaleLowerCase().includes(sought)),
      ...(search.data?.items ?? []).filter(({ id }) => !known.has(id)).map((one) => ({ ...one, stale })),
    ],
  };
}

const nothing = (stale: boolean) => (stale ? "Searching…" : "No supplier is called that.");

/** The first step of a new order. Typing finds a supplier, and Enter takes the marked one. */
export function SupplierStep() {
  const { workspace } = usePlace();
  const go = useNavigate();
  const [text, setText] = useState("");
  const { choices, stale, failed } = useChoices(text);
  const pick = ({ id: supplier }: Choice) =>
    void go({
      to: "/w/$workspace/purchase-orders/new",
      params: { workspace: workspace.id },
      search: { supplier },
    });
  return (
    <Card flush className="max-w-2xl">
      <Base.Root
        inline
        open
        items={choices}
        value={text}
        onValueChange={(next, { reason }) => reason !== "item-press" && setText(next)}
        itemToStringValue={({ name }: Choice) => name}
        filter={null}
        autoHighlight="always"
      >
        <div className="border-line border-b p-3">
          <Base.Input
            aria-label="Supplier"
            placeholder="Name of a supplier"
            autoFocus
            autoComplete="off"
            spellCheck={false}
            className={cx(controlClass, controlText, "h-9 px-2.5 pointer-coarse:h-11")}
          />
        </div>
        {failed && <ErrorNote error={failed.error} retry={failed.refetch} />}
        <Base.Empty className="px-4 py-3 text-muted empty:hidden">{!failed && nothing(stale)}</Base.Empty>
        {choices.length > 0 && (
          <Base.List className="max-h-[60vh] overflow-y-auto p-1 outline-none">
            {(one: Choice) => (
              <Base.Item
                key={one.id}
                value={one}
                disabled={one.stale ?? false}
                onClick={() => !one.stale && pick(one)}
                className="flex cursor-default flex-wrap items-baseline gap-x-3 rounded-md px-3 py-2 outline-none select-none data-disabled:opacity-60 data-highlighted:bg-hover pointer-coarse:py-3"
              >
                <span className="min-w-0 flex-1 truncate font-medium">{one.name}</span>
                {one.due && <Due {...one.due} />}
              </Base.Item>
            )}
          </Base.List>
        )}
      </Base.Root>
    </Card>
  );
}

function Due({ lines, critical, costs }: NonNullable<Choice["due"]>) {
  const { workspace } = usePlace();
  return (
    <span className="flex items-baseline gap-x-3 text-muted text-sm">
      <span className={cx(critical > 0 && "text-bad-ink")}>
        {toOrderNow({ count: lines, critical }, workspace.locale)}
      </span>
      {costs.length > 0 && <Totals totals={costs} className="text-ink" />}
    </span>
  );
}
