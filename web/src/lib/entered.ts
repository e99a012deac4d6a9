import { getSession } from "@/api/sdk.gen";
import { ApiError, toApiError } from "./problem";

/**
 * Makes sure that the browser kept the session's cookie before the page is left: over plain
 * http, away from localhost, browsers drop it without a word.
 */
export async function expectSession(): Promise<void> {
  try {
    await getSession({ throwOnError: true });
  } catch (cause) {
    if (toApiError(cause).status !== 401) throw cause;
    const detail = "this browser did not keep the session: open Quayside over HTTPS, or at http://localhost";
    throw new ApiError({ code: "no_cookie", title: "Not signed in", detail }, 400);
  }
}
