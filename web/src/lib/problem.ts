/** One rejected input, as the API lists them inside a problem document. */
export interface ProblemDetail {
  /** "#/label" in the body, or the name of a parameter. */
  pointer: string;
  code: string;
  detail: string;
}

/** RFC 9457, with the members of ours. */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  code?: string;
  request_id?: string;
  errors?: ProblemDetail[] | null;
}

export class ApiError extends Error {
  readonly status: number;
  /** Stable and machine-readable, such as "last_admin". */
  readonly code: string;
  readonly title: string;
  readonly fix: string | undefined;
  readonly requestId: string | undefined;
  readonly errors: ProblemDetail[];
  /** Seconds to wait, where the service says so. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, status: number, requestId?: string, retryAfter?: number) {
    const title = problem.title ?? defaultTitle(status);
    super(sentence(problem.detail ?? title));
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code ?? "";
    this.title = title;
    this.fix = defaultFix(status);
    this.requestId = requestId ?? problem.request_id;
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
  }

  /** The message for one field of the body, such as "label" or "lines/0/quantity". */
  fieldError(field: string): string | undefined {
    const found = this.errors.find((e) => e.pointer === `#/${field}`);
    return found && sentence(found.detail);
  }
}

/** The service writes sentences without capital and full stop, to be put into others. */
function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}

function isProblem(body: unknown): body is Problem {
  return (
    typeof body === "object" && body !== null && ("title" in body || "detail" in body || "status" in body)
  );
}

/** Turns whatever a failed call produced into an ApiError. */
export function toApiError(cause: unknown, response?: Response): ApiError {
  if (cause instanceof ApiError) return cause;
  const requestId = response?.headers.get("x-request-id") ?? undefined;
  if (!response) {
    // fetch rejects without a response when the server cannot be reached.
    const detail = cause instanceof Error ? cause.message : String(cause);
    const error = new ApiError({ code: "unreachable", title: "The server did not answer", detail }, 0);
    error.cause = cause;
    return error;
  }
  const retryAfter = Number(response.headers.get("retry-after")) || undefined;
  if (isProblem(cause)) return new ApiError(cause, response.status, requestId, retryAfter);
  // A proxy in front of us answers with HTML or nothing; its body is of no use to a reader.
  return new ApiError({}, response.status, requestId, retryAfter);
}

function defaultTitle(status: number): string {
  if (status === 401) return "You are signed out";
  if (status === 403) return "You may not do this";
  if (status === 404) return "Not found";
  if (status === 412) return "Someone else changed this meanwhile";
  if (status === 429) return "Too many requests";
  if (status >= 500) return "The server failed";
  return "The request was refused";
}

function defaultFix(status: number): string | undefined {
  if (status === 0) return "Check the connection and try again.";
  if (status === 401) return "Sign in again.";
  if (status === 403) return "Ask a Company-Admin.";
  if (status === 412) return "Reload to see the change, then apply yours again.";
  if (status === 429) return "Wait a moment and try again.";
  if (status >= 500) return "Try again; if it stays, give support the request id.";
  return undefined;
}
