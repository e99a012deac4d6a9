import { QueryClient } from "@tanstack/react-query";
import { client } from "../api/client.gen";
import { isUnpolled, whenCalm } from "./live-queries";
import { ApiError, toApiError, unreachable } from "./problem";

/**
 * Every failed call throws an ApiError. A cancelled call keeps its AbortError: TanStack Query
 * aborts calls that nothing waits for, and nobody needs to see that.
 */
client.interceptors.error.use((cause, response) => {
  if (isCancelled(cause)) return cause;
  // fetch rejects without a response when the server cannot be reached.
  const error = response ? toApiError(cause, response) : unreachable(cause);
  if (error.code === "no_session") sessionEnded();
  return error;
});

/** Reads the whole answer, so that one that breaks off counts as a failed call. */
client.interceptors.response.use(async (response) => {
  try {
    const body = await response.blob();
    return new Response(body.size > 0 ? body : null, response);
  } catch (cause) {
    throw isCancelled(cause) ? cause : unreachable(cause);
  }
});

function isCancelled(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === "AbortError";
}

let sessionEnded = () => {};

function worthRetrying(error: unknown): boolean {
  const { status } = toApiError(error);
  return status === 0 || status === 429 || status >= 502;
}

/** `signedOut` is called when any call is refused because the session has ended. */
export function createQueryClient(signedOut: () => void = () => undefined): QueryClient {
  sessionEnded = signedOut;
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        persister: whenCalm,
        refetchOnWindowFocus: isUnpolled,
        refetchOnReconnect: isUnpolled,
        retry: (count, error) => count < 2 && worthRetrying(error),
      },
      // Only a person repeats a write; the server cannot tell a retry from a second order.
      // Requests and answers may hold secrets: they are dropped when their component unmounts.
      mutations: { retry: false, gcTime: 0 },
    },
  });
}

export { ApiError, toApiError };
