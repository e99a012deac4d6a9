import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import {
  getAgentRunOptions,
  listAgentDecisionsInfiniteQueryKey,
  listAgentRunsInfiniteQueryKey,
} from "@/api/@tanstack/react-query.gen";
import { listAgentDecisions, listAgentRuns, startAgentRun, undoAgentRun } from "@/api/sdk.gen";
import type { Run } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import { useReload } from "@/lib/reload";
import { usePlace } from "@/lib/session";
import { isGoing, undoable } from "./words";

/** The runs, the newest first; polled often while one is at work. */
export function useRuns(pages: number | undefined, want: (pages: number) => void) {
  const path = { workspace: usePlace().workspace.id };
  return usePagedRows({
    queryKey: listAgentRunsInfiniteQueryKey({ path }),
    read: async (cursor, signal) => {
      const query = { limit: 50, ...(cursor && { cursor }) };
      return (await listAgentRuns({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ id }) => id,
    every: (rows) => (rows.some(isGoing) ? 1_000 : 15_000),
    pages,
    want,
  });
}

/** A run changes its decisions, the queue and the orders. */
const followers = new Set([
  "listAgentRuns",
  "listAgentDecisions",
  "listRecommendations",
  "summarizeQueue",
  "listPurchaseOrders",
  "countPurchaseOrders",
  "getPurchaseOrder",
  "getLineTimeline",
  "getArticle",
  "getArticleActivity",
]);

/** One run, polled often while it is at work. What follows from it is read again when it changes. */
export function useRun(run: string) {
  const path = { workspace: usePlace().workspace.id, run };
  const reload = useReload(followers);
  const query = useQuery({
    ...getAgentRunOptions({ path }),
    refetchInterval: ({ state: { data } }) => (data && isGoing(data) ? 1_000 : 15_000),
  });
  const state = query.data && stateOf(query.data);
  const before = useRef(state);
  useEffect(() => {
    if (before.current !== undefined && before.current !== state) void reload();
    before.current = state;
  }, [state, reload]);
  return query;
}

const stateOf = ({ status, chosen, skipped, drafted, submitted, refused, undone, kept }: Run) =>
  [status, chosen, skipped, drafted, submitted, refused, undone, kept].join(" ");

export interface DecisionsOf {
  run: string;
  which: "chosen" | "skipped";
  pages: number | undefined;
  want: (pages: number) => void;
}

/** What the agent decided in a run, the most urgent first. */
export function useDecisions({ run, which, pages, want }: DecisionsOf) {
  const path = { workspace: usePlace().workspace.id, run };
  return usePagedRows({
    queryKey: listAgentDecisionsInfiniteQueryKey({ path, query: { which } }),
    read: async (cursor, signal) => {
      const query = { which, limit: 50, ...(cursor && { cursor }) };
      return (await listAgentDecisions({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ n }) => String(n),
    pages,
    want,
  });
}

/** Starts a run and shows its page. */
export function useStart() {
  const { workspace } = usePlace();
  const go = useNavigate();
  const reload = useReload(followers);
  return useMutation({
    mutationFn: (dry: boolean) =>
      startAgentRun({ path: { workspace: workspace.id }, body: { dry }, throwOnError: true }),
    onSuccess: async ({ data }) => {
      void reload();
      const params = { workspace: workspace.id, run: data.id };
      await go({ to: "/w/$workspace/agent-runs/$run", params });
    },
    // Another run may be the reason, and the list does not show it yet.
    onError: () => void reload(),
  });
}

/** Undoes a run. One call cancels a limited number of lines, so it may take several. */
export function useUndo(run: Run) {
  const path = { workspace: usePlace().workspace.id, run: run.id };
  const reload = useReload(new Set([...followers, "getAgentRun"]));
  return useMutation({
    mutationFn: async () => {
      let [before, now] = [run, await undo(path)];
      while (undoable(now) > 0 && undoable(now) < undoable(before)) [before, now] = [now, await undo(path)];
      return now;
    },
    onSettled: reload,
  });
}

const undo = async (path: { workspace: string; run: string }) =>
  (await undoAgentRun({ path, throwOnError: true })).data;
