import {
  notifyManager,
  type Query,
  type QueryClient,
  type QueryFunction,
  type QueryFunctionContext,
  timeoutManager,
} from "@tanstack/react-query";
import { motion, press, scheduler, type Task } from "./live";

/** Marks a fetch as a poll; state.fetchMeta keeps the mark. */
const polling: NonNullable<Query["state"]["fetchMeta"]> = {};

/** Whether the latest fetch, finished or under way, is a poll. */
export function isPolled(query: { state: Pick<Query["state"], "fetchMeta"> } | undefined): boolean {
  return query?.state.fetchMeta === polling;
}

/**
 * Lets the scheduler refetch queries by their observers' `refetchInterval`. TanStack Query's own
 * intervals are switched off, because they do not follow the live policy.
 */
export function pollQueries(queryClient: QueryClient): void {
  timeoutManager.setTimeoutProvider<number>({
    setTimeout: (callback, delay) => Number(setTimeout(callback, delay)),
    clearTimeout: (id) => clearTimeout(id),
    setInterval: () => 0,
    clearInterval: () => {},
  });
  notifyManager.setScheduler(whenReleased);
  const cache = queryClient.getQueryCache();
  scheduler.add(() => cache.getAll().flatMap(pollOf));
  cache.subscribe(({ type }) => type !== "observerResultsUpdated" && scheduler.plan());
}

/**
 * Runs a callback soon, but not while a pointer is down: an answer that came before the press would
 * otherwise reach the page after it.
 */
function whenReleased(callback: () => void): void {
  const run = () => {
    if (press.open) callback();
    else press.onceOpen(run);
  };
  setTimeout(run, 0);
}

const polledAt = new WeakMap<Query, number>();

/** The maximum age of a query's answer: the shortest interval of its observers. */
function maxAge(query: Query): number {
  return Math.min(...query.observers.map(({ options }) => intervalOf(query, options)));
}

/** Whether TanStack Query may refetch a query by itself, on focus or reconnection. */
export function isUnpolled(query: Query): boolean {
  return maxAge(query) === Number.POSITIVE_INFINITY;
}

/** The next poll of a query, due when its answer or last attempt is too old. */
function pollOf(query: Query): Task[] {
  const every = maxAge(query);
  if (every === Number.POSITIVE_INFINITY || query.state.fetchStatus !== "idle") return [];
  const { dataUpdatedAt, errorUpdatedAt } = query.state;
  const run = () => {
    polledAt.set(query, Date.now());
    query.fetch(undefined, { meta: polling }).catch(() => undefined); // the state has the error
  };
  return [{ due: Math.max(dataUpdatedAt, errorUpdatedAt, polledAt.get(query) ?? 0) + every, run }];
}

function intervalOf(
  query: Query,
  { enabled, refetchInterval }: Query["observers"][number]["options"],
): number {
  if ((typeof enabled === "function" ? enabled(query) : enabled) === false) return Number.POSITIVE_INFINITY;
  const every = typeof refetchInterval === "function" ? refetchInterval(query) : refetchInterval;
  return every || Number.POSITIVE_INFINITY;
}

/**
 * Holds an answer, or a failure, back until the page may change. A poll waits for a calm page. Any
 * other fetch waits only while a pointer is down; so does the first one, which may replace the rows
 * of another query. If the query's data was set while a poll was held back, that data stays.
 */
export async function whenCalm<T>(
  queryFn: QueryFunction<T>,
  context: QueryFunctionContext,
  query: Query,
): Promise<T> {
  const { dataUpdatedAt } = query.state;
  const polled = isPolled(query);
  let answer: T;
  try {
    answer = await queryFn(context);
  } finally {
    await (polled ? motion : press).passed(context.signal);
  }
  return polled && query.state.dataUpdatedAt !== dataUpdatedAt ? (query.state.data as T) : answer;
}
