import { getSession } from "@/api/sdk.gen";
import { ApiError, toApiError } from "./problem";

/**
 * Checks that the browser kept the session's cookie before the sign-in page is left: over plain
 * http, except on localhost, browsers drop the cookie silently.
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
