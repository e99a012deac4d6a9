import { useQuery, useQueryClient } from "@tanstack/react-query";
import { listTokensQueryKey } from "@/api/@tanstack/react-query.gen";
import { listTokens } from "@/api/sdk.gen";
import type { Token } from "@/api/types.gen";
import { useMemberName } from "@/features/members/queries";
import { sourcesQuery } from "@/features/sources/queries";
import { allPages } from "@/lib/pages";
import { usePlace } from "@/lib/session";
import { clientSnippets, mcpAddress } from "./clients";

/** Every token that the person may see, ended ones included. */
export function tokensQuery(workspace: string) {
  return {
    queryKey: listTokensQueryKey({ path: { workspace } }),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      allPages((query) => listTokens({ path: { workspace }, query, signal, throwOnError: true })),
    refetchInterval: 10_000,
  };
}

/** Refetches the tokens after one was created or has ended. */
export function useReloadTokens(workspace: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: listTokensQueryKey({ path: { workspace } }) });
}

/** Settings for clients; absent until the service's address is known. */
export function useClientSnippets(token: string) {
  const { workspace } = usePlace();
  const { data } = useQuery({ ...sourcesQuery(workspace.id), refetchInterval: false });
  const endpoint = data?.items[0]?.endpoint;
  return {
    label: "Settings for several assistants",
    items: endpoint === undefined ? undefined : clientSnippets(mcpAddress(endpoint), token),
    setting: "snippet-client",
  };
}

/** Names the person or agent that a token acts for. */
export function useOwner(): (token: Token) => string {
  const memberName = useMemberName();
  return (token) => (token.agent_id ? "Agent" : memberName(token.user_id));
}
