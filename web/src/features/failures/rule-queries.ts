import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeIngestRuleMutation,
  listIngestRulesOptions,
  listIngestRulesQueryKey,
} from "@/api/@tanstack/react-query.gen";
import type { IngestRule } from "@/api/types.gen";
import { type ListRows, useWholeRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { toast } from "@/ui/toast";

/** The rules of the workspace, by table, in the order in which they are applied. */
export function useRules(): ListRows<IngestRule> {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id };
  const list = useQuery(listIngestRulesOptions({ path }));
  return useWholeRows(list, {
    queryKey: listIngestRulesQueryKey({ path }),
    rowsOf: ({ items }) => items,
    idOf: ({ id }) => id,
  });
}

/** Refetches the rules after one was kept or changed. */
export function useReloadRules(): () => Promise<void> {
  const queryClient = useQueryClient();
  const { workspace } = usePlace();
  const queryKey = listIngestRulesQueryKey({ path: { workspace: workspace.id } });
  return () => queryClient.invalidateQueries({ queryKey });
}

/** Changes a rule as the person sees it. */
export function useChangeRule(rule: IngestRule) {
  const { workspace } = usePlace();
  const reload = useReloadRules();
  // What the person has chosen is shown at once; the mutation tells that it runs a moment later.
  const [chosen, setChosen] = useState<boolean>();
  const { mutate, isPending } = useMutation({
    ...changeIngestRuleMutation(),
    onError: (error) => toast.error(error, "The rule was not changed"),
    onSettled: async () => {
      await reload();
      setChosen(undefined);
    },
  });
  const change = (body: { enabled?: boolean; place?: number }) => {
    setChosen(body.enabled);
    mutate({
      path: { workspace: workspace.id, rule: rule.id },
      headers: { "If-Match": `"${rule.version}"` },
      body,
    });
  };
  return { change, changing: isPending, enabled: chosen ?? rule.enabled };
}
