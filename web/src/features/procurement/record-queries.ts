import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getTrackRecordOptions, listSuggestionsInfiniteQueryKey } from "@/api/@tanstack/react-query.gen";
import { listSuggestions } from "@/api/sdk.gen";
import type { Suggestion } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import type { CaseSearch, Grouping, Span } from "./record-search";

const given = (values: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as Record<string, string>;

/** The figures of a time. They change once a day. */
export function useTrackRecord(by: Grouping, { from, to }: Span) {
  const { workspace } = usePlace();
  return useQuery({
    ...getTrackRecordOptions({ path: { workspace: workspace.id }, query: { by, ...given({ from, to }) } }),
    placeholderData: keepPreviousData,
  });
}

export const caseId = ({ recommendation_key, first_on }: Suggestion) => `${recommendation_key} ${first_on}`;

/** The matching cases, the newest first. */
export function useCases({ pages, ...search }: CaseSearch, want: (pages: number) => void) {
  const path = { workspace: usePlace().workspace.id };
  const wanted = given({ ...search });
  return usePagedRows({
    queryKey: listSuggestionsInfiniteQueryKey({ path, query: wanted }),
    read: async (cursor, signal) => {
      const query = { ...wanted, limit: 50, ...(cursor && { cursor }) };
      return (await listSuggestions({ path, query, signal, throwOnError: true })).data;
    },
    idOf: caseId,
    pages,
    want,
  });
}
