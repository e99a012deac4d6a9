import { useQueryClient } from "@tanstack/react-query";

/** Refetches the answers of some operations of the API, by the operations' ids. */
export function useReload(operations: ReadonlySet<string>): () => Promise<void> {
  const queryClient = useQueryClient();
  return () =>
    queryClient.invalidateQueries({
      predicate: ({ queryKey: [first] }) =>
        typeof first === "object" && first !== null && "_id" in first && operations.has(String(first._id)),
    });
}
