import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { decideConflictsMutation, getOrderExchangeQueryKey } from "@/api/@tanstack/react-query.gen";
import type { Conflict } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { conflictsDecided } from "@/messages/exchange";
import { toast } from "@/ui/toast";

export type Side = Conflict["choices"][number]["take"];

/** Whether a conflict can be decided so. */
export const canTake = ({ choices }: Conflict, take: Side) => choices.some((choice) => choice.take === take);

/**
 * Decides conflicts of one order. A decided conflict is `gone` at once. If the service refuses, because somebody was
 * faster or a value has changed, the conflicts are loaded again and the person is told.
 */
export function useDecide() {
  const { workspace } = usePlace();
  const queryClient = useQueryClient();
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const hide = (all: readonly Conflict[], on: boolean) =>
    setDecided((before) => {
      const next = new Set(before);
      for (const { id } of all) on ? next.add(id) : next.delete(id);
      return next;
    });
  const { mutate, isPending } = useMutation({
    ...decideConflictsMutation(),
    onSettled: (_data, _error, { path }) => {
      void queryClient.invalidateQueries({ queryKey: getOrderExchangeQueryKey({ path }) });
      void queryClient.invalidateQueries({ queryKey: [{ _id: "getExchange" }] });
      return queryClient.invalidateQueries({ queryKey: [{ _id: "listConflicts" }] });
    },
  });
  return {
    deciding: isPending,
    isGone: ({ id }: Conflict) => decided.has(id),
    decide: (conflicts: readonly Conflict[], take: Side) => {
      const [first] = conflicts;
      if (!first) return;
      hide(conflicts, true);
      mutate(
        {
          path: { workspace: workspace.id, order: first.order_no },
          body: {
            decisions: conflicts.map(({ id, ours, theirs }) => ({
              conflict: id,
              take,
              ours: ours.value,
              theirs: theirs.value,
            })),
          },
        },
        {
          onSuccess: () =>
            toast.success(
              conflictsDecided({ count: conflicts.length, system: first.connection }, workspace.locale),
            ),
          onError: (error) => {
            hide(conflicts, false);
            toast.error(error, "Nothing was decided");
          },
        },
      );
    },
  };
}
