import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Failure } from "@/api/types.gen";
import { focusedRow, focusRow } from "@/lib/list-keys";
import { useSelection } from "@/lib/selection";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { mayLeave } from "@/lib/unsaved";
import { filterOf } from "./filter";
import { countFailures } from "./open-count";
import { groupsQuery, useFailures } from "./queries";
import { nameOf, useRetry, useRetryChosen } from "./use-retry";
import { useFailureSearch } from "./use-search";

const idOf = (failure: Failure) => failure.id;
const none: never[] = [];

/** The state of the list: its rows, and which are open, selected, edited and being dismissed. */
export function useRows() {
  const { workspace } = usePlace();
  const { search, status, go } = useFailureSearch("rows");
  const list = useFailures(status, search, (pages) => go({ ...search, pages }, { replace: true }));
  const total = countFailures(useQuery(groupsQuery(workspace, status, search)).data);
  const failures = (!list.previous && list.rows) || none;
  const selection = useSelection({
    rows: failures,
    idOf,
    filter: JSON.stringify([status, filterOf(search)]),
  });
  const [editing, setEditing] = useState<string>();
  const [dismissing, setDismissing] = useState<readonly Failure[]>([]);
  const one = useRetry();
  const many = useRetryChosen(selection.clear);
  const { open } = search;
  const show = (id: string | undefined) => {
    const { open: _, ...rest } = search;
    go(id ? { ...rest, open: id } : rest, { replace: open !== undefined });
  };
  const rows = {
    search,
    status,
    list,
    total,
    open,
    ids: useSteadyIds(failures, open),
    onMove: (id: string) => open && show(id),
    selection,
    chosen: selection.chosen,
    editing,
    edit: (id: string | undefined) => {
      setEditing(id);
      if (id && open !== id) show(id);
    },
    dismissing,
    dismiss: setDismissing,
    one,
    many,
    send: (id: string) => {
      if (open !== id) show(id);
      const failure = failures.find((failure) => failure.id === id);
      one.retry({ id, name: failure ? nameOf(failure) : "The record" });
    },
    close: async () => {
      if (!(await mayLeave())) return;
      setEditing(undefined);
      if (!open) return selection.clear();
      show(undefined);
    },
  };
  useRowShortcuts(rows, failures);
  useKeptFocus(open);
  return rows;
}

/** Rows render again when a panel opens or closes beside them; this keeps the focus on the row. */
function useKeptFocus(open: string | undefined) {
  const before = useRef(open);
  useEffect(() => {
    const row = open ?? before.current;
    before.current = open;
    if (row && document.activeElement === document.body) focusRow(row);
  }, [open]);
}

export type Rows = ReturnType<typeof useRows>;

/** Keys act on the selected rows, else on the focused row, else on the open one. */
function useRowShortcuts(rows: Rows, failures: readonly Failure[]) {
  const { can } = usePlace();
  const { chosen, open } = rows;
  const withCurrent = (act: (id: string) => void) => () => {
    const id = focusedRow() ?? open;
    if (id) act(id);
  };
  function dismiss(id: string) {
    const wanted = chosen.length > 0 ? chosen : failures.filter((failure) => failure.id === id);
    rows.dismiss(wanted.filter((failure) => failure.status === "open"));
  }
  const send = (id: string) => (chosen.length > 0 ? rows.many.run(chosen) : rows.send(id));
  const group = "Failed imports";
  useShortcuts([
    {
      keys: "escape",
      label: "Close the row, or clear the selection",
      group: "Lists",
      run: () => void rows.close(),
    },
    ...(can("retry_failures") && rows.status !== "resolved"
      ? [
          { keys: "e", label: "Edit and retry", group, run: withCurrent(rows.edit) },
          { keys: "r", label: "Retry unchanged", group, run: withCurrent(send) },
          { keys: "d", label: "Dismiss", group, run: withCurrent(dismiss) },
        ]
      : []),
  ]);
}

/**
 * The ids in order, with the open one kept in its place: a retry removes it from the list, and the
 * next key press must go to its neighbour and not to the top.
 */
function useSteadyIds(failures: readonly Failure[], open: string | undefined): string[] {
  const ids = failures.map((one) => one.id);
  const [place, setPlace] = useState<{ id: string; at: number }>();
  const at = open ? ids.indexOf(open) : -1;
  if (open && at !== -1 && (place?.id !== open || place.at !== at)) setPlace({ id: open, at });
  if (open && at === -1 && place?.id === open) ids.splice(place.at, 0, open);
  return ids;
}
