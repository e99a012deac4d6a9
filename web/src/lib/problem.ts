/** One rejected input, as the API lists them inside a problem document. */
export interface ProblemDetail {
  /** "#/label" in the body, or the name of a parameter. */
  pointer: string;
  code: string;
  detail: string;
}

/** RFC 9457 with our own members. */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  code?: string;
  request_id?: string;
  errors?: ProblemDetail[] | null;
}

/** Statuses of errors without an answer: the server was not reached, or the page itself failed. */
const noAnswer = 0;
const noCall = -1;

/** A failure to show to people: the service's problem document, or a replacement for it. */
export class ApiError extends Error {
  /** The HTTP status; 0: no answer, -1: the error is not about a call. */
  readonly status: number;
  /** Stable and machine-readable, such as "last_admin". */
  readonly code: string;
  readonly title: string;
  readonly fix: string | undefined;
  readonly requestId: string | undefined;
  readonly errors: ProblemDetail[];
  /** Seconds to wait, if the service sent Retry-After. */
  readonly retryAfter: number | undefined;
  /** Technical details for support. */
  details: string | undefined;

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

/** The service sends messages without capital letter and full stop. */
function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}

function isProblem(body: unknown): body is Problem {
  return (
    typeof body === "object" && body !== null && ("title" in body || "detail" in body || "status" in body)
  );
}

/** The error for a call that got no answer. Only the code that makes calls can tell. */
export function unreachable(cause: unknown): ApiError {
  return caused(cause, new ApiError({ code: "unreachable", title: "The server did not answer" }, noAnswer));
}

/** The error for anything thrown that is not an answer of the service: a bug of the page. */
function pageFault(cause: unknown): ApiError {
  const title = "This page has an error";
  const error = caused(cause, new ApiError({ code: "page_fault", title }, noCall));
  error.details = String(cause);
  return error;
}

function caused(cause: unknown, error: ApiError): ApiError {
  error.cause = cause;
  return error;
}

/** Turns anything thrown into an ApiError; `response` is the answer of a failed call. */
export function toApiError(cause: unknown, response?: Response): ApiError {
  if (cause instanceof ApiError) return cause;
  if (!response) return pageFault(cause);
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const retryAfter = Number(response.headers.get("retry-after")) || undefined;
  if (isProblem(cause)) return new ApiError(cause, response.status, requestId, retryAfter);
  // A proxy in front of the service answers with HTML or nothing; its body does not help people.
  return new ApiError({}, response.status, requestId, retryAfter);
}

/** Whether a call failed because there is no such thing. */
export const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404;

function defaultTitle(status: number): string {
  if (status === 401) return "You are signed out";
  if (status === 403) return "You are not allowed to do this";
  if (status === 404) return "Not found";
  if (status === 412) return "Someone else changed this meanwhile";
  if (status === 429) return "Too many requests";
  if (status >= 500) return "The server failed";
  return "The request was refused";
}

function defaultFix(status: number): string | undefined {
  if (status === noAnswer) return "Check the connection and try again.";
  if (status === noCall) return "Reload the page. If the error stays, send support the details.";
  if (status === 401) return "Sign in again.";
  if (status === 403) return "Ask a Company-Admin.";
  if (status === 412) return "Reload to see the change, then apply yours again.";
  if (status === 429) return "Wait a moment and try again.";
  if (status >= 500) return "Try again. If the error stays, send support the request id.";
  return undefined;
}
