import { useMutation } from "@tanstack/react-query";
import { restoreRecommendation } from "@/api/sdk.gen";
import type { Recommendation } from "@/api/types.gen";
import { eachOf } from "@/lib/each";
import { focusedRow } from "@/lib/list-keys";
import type { Selection } from "@/lib/selection";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { restored } from "@/messages/procurement";
import { toast } from "@/ui/toast";
import { idOf, useReloadQueue } from "./queries";
import type { QueueTab } from "./search";

export type Decision = "draft" | "snooze" | "dismiss";

/** A decision that a dialog asks about. */
export interface Act {
  decision: Decision;
  rows: readonly Recommendation[];
}

export interface Decisions {
  /** Each is absent if the person may not do it, or if it makes no sense for the rows. */
  draft: ((rows: readonly Recommendation[]) => void) | undefined;
  putOff: ((decision: "snooze" | "dismiss", rows: readonly Recommendation[]) => void) | undefined;
  restore: ((rows: readonly Recommendation[]) => void) | undefined;
}

interface DecisionsOf {
  tab: QueueTab;
  rows: readonly Recommendation[];
  selection: Selection<Recommendation>;
  decide: (decision: Decision, rows: readonly Recommendation[]) => void;
}

/** What can be decided on a tab, also by keys. Keys act on the selected rows, else on the focused one. */
export function useDecisions({ tab, rows, selection, decide }: DecisionsOf): Decisions {
  const { can } = usePlace();
  const restore = useRestore(selection.clear);
  const may = can("draft_lines");
  const open = may && tab !== "drafted" && tab !== "put_off";
  const decisions: Decisions = {
    draft: open ? (some) => decide("draft", some) : undefined,
    putOff: open ? decide : undefined,
    restore: may && tab === "put_off" ? restore : undefined,
  };
  const { draft, putOff } = decisions;
  const current = (act: (some: readonly Recommendation[]) => void) => () => {
    const { chosen } = selection;
    const some = chosen.length > 0 ? chosen : rows.filter((row) => idOf(row) === focusedRow());
    if (some.length > 0) act(some);
  };
  const group = "To order";
  useShortcuts([
    { keys: "escape", label: "Clear the selection", group: "Lists", run: selection.clear },
    ...(draft ? [{ keys: "a", label: "Draft", group, run: current(draft) }] : []),
    ...(putOff
      ? [
          { keys: "s", label: "Put off", group, run: current((some) => putOff("snooze", some)) },
          { keys: "d", label: "Dismiss", group, run: current((some) => putOff("dismiss", some)) },
        ]
      : []),
    ...(decisions.restore ? [{ keys: "r", label: "Restore", group, run: current(decisions.restore) }] : []),
  ]);
  return decisions;
}

/** Takes back that rows were put off. */
export function useRestore(done?: () => void): (rows: readonly Recommendation[]) => void {
  const { workspace } = usePlace();
  const reload = useReloadQueue();
  const { mutate } = useMutation({
    mutationFn: (rows: readonly Recommendation[]) =>
      eachOf(rows, ({ recommendation_key }) =>
        restoreRecommendation({
          path: { workspace: workspace.id },
          body: { recommendation_key },
          throwOnError: true,
        }),
      ),
    onSuccess: (_, rows) => {
      done?.();
      toast.success(restored({ count: rows.length, name: rows[0]?.name ?? "" }, workspace.locale));
    },
    onError: (error) => toast.error(error, "Not restored"),
    onSettled: reload,
  });
  return mutate;
}
