import { useEffect, useState, useSyncExternalStore } from "react";
import { cancelLines, draftLines, editLine, getPurchaseOrder, getPurchaseOrderLine } from "@/api/sdk.gen";
import type { Line, OrderSupplierTerms } from "@/api/types.gen";
import { useReloadPurchasing, useToday } from "@/features/purchasing/queries";
import { draftKey } from "@/lib/drafts";
import { toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { shiftDay } from "@/lib/time";
import { unsaved } from "@/lib/unsaved";
import { type Calls, OrderDraft } from "./order-draft";
import { findArticles } from "./queries";
import { alone, announce, newOrderOf } from "./tabs";

interface TabCalls extends Calls {
  /** Other tabs no longer join the order. */
  release: () => void;
}

function callsOf(workspace: string, supplier: string): TabCalls {
  const path = { workspace };
  const name = newOrderOf(workspace, supplier);
  const calls: TabCalls = {
    release: () => {},
    draft: async (fields, confirmed) => {
      const body = { lines: [fields], ...(confirmed && { confirm_on_its_way: true }) };
      const [line] = (await draftLines({ path, body, throwOnError: true })).data.items;
      if (!line) throw toApiError(new Error("no line in the answer"));
      return line;
    },
    edit: async (line, body) => {
      const headers = { "If-Match": `"${line.version}"` };
      return (await editLine({ path: { ...path, line: line.id }, headers, body, throwOnError: true })).data;
    },
    remove: ({ id, version }) => {
      const body = { lines: [{ id, version }], reason: "Removed while drafting", taken_back: true };
      return cancelLines({ path, body, throwOnError: true });
    },
    line: async (id) =>
      (await getPurchaseOrderLine({ path: { ...path, line: id }, throwOnError: true })).data,
    article: async (product) => (await findArticles(workspace, supplier, [product]))[0],
    lines: async (order) => {
      const query = { limit: 200 };
      return (await getPurchaseOrder({ path: { ...path, order }, query, throwOnError: true })).data.items;
    },
    alone: (run) => alone(name, run),
    announce: async (order) => {
      calls.release = await announce(name, order);
    },
  };
  return calls;
}

/** Names the texts of a supplier's order that are not saved. */
export function useGridKey(supplier: string): string {
  const { workspace, person } = usePlace();
  return draftKey(person.id, workspace.id, `order-grid/${supplier}`);
}

/** The draft that the page makes, or goes on with. */
export function useOrderDraft(
  supplier: OrderSupplierTerms,
  order: string | undefined,
  lines: readonly Line[],
) {
  const { workspace } = usePlace();
  const reload = useReloadPurchasing();
  const today = useToday();
  const key = useGridKey(supplier.id);
  const [{ draft, calls }] = useState(() => {
    const lead = supplier.lead_time_days;
    const told = lines.find((line) => line.status === "draft")?.expected_arrival_date;
    const made = callsOf(workspace.id, supplier.id);
    return {
      calls: made,
      draft: new OrderDraft({
        supplier: supplier.id,
        currency: supplier.currency ?? workspace.base_currency,
        locale: workspace.locale,
        calls: made,
        key,
        order,
        lines,
        expected: told ?? (lead === undefined ? "" : shiftDay(today, lead)),
        onIdle: () => void reload(),
      }),
    };
  });
  const state = useSyncExternalStore(draft.watch, () => draft.state);
  useEffect(() => {
    const remove = unsaved.add(draft);
    const stop = draft.watch(() => unsaved.changed());
    return () => {
      void draft.flush();
      stop();
      remove();
      calls.release();
    };
  }, [draft, calls]);
  return { draft, state };
}
