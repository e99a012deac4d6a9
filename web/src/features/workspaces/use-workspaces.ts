import { useQuery, useQueryClient } from "@tanstack/react-query";
import { listWorkspacesOptions } from "@/api/@tanstack/react-query.gen";
import { usePlace, useReloadSession } from "@/lib/session";

export function useWorkspaces() {
  const { company } = usePlace();
  return useQuery(listWorkspacesOptions({ path: { tenant: company.id } }));
}

/** Refetches the list and the session, on which the switcher and every formatted number depend. */
export function useReloadWorkspaces(): () => Promise<void> {
  const { company } = usePlace();
  const queryClient = useQueryClient();
  const reloadSession = useReloadSession();
  return async () => {
    const { queryKey } = listWorkspacesOptions({ path: { tenant: company.id } });
    await Promise.all([queryClient.invalidateQueries({ queryKey }), reloadSession()]);
  };
}

/** Names the draft of a new workspace. */
export const newWorkspace = "new-workspace";

export const editedWorkspace = (id: string) => `workspace/${id}`;
