import { QueryClient } from "@tanstack/react-query";
import { client } from "../api/client.gen";
import { isUnpolled, whenCalm } from "./live-queries";
import { ApiError, toApiError, unreachable } from "./problem";

/**
 * Every failed call throws an ApiError. Cancellation stays what it is: TanStack Query aborts
 * calls nobody waits for, and that is no failure to tell anyone about.
 */
client.interceptors.error.use((cause, response) => {
  if (isCancelled(cause)) return cause;
  // fetch rejects without a response when the server cannot be reached.
  const error = response ? toApiError(cause, response) : unreachable(cause);
  if (error.code === "no_session") sessionEnded();
  return error;
});

/** The answer is read to its end here: one that breaks off is none. */
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

/** `signedOut` is called when a call, of whatever kind, is refused because the session has ended. */
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
      // A write is repeated only by a person; the server cannot tell a retry from a second order.
      // What was sent and answered may be a secret: it goes with whoever asked.
      mutations: { retry: false, gcTime: 0 },
    },
  });
}

export { ApiError, toApiError };
