import { useLocale } from "@/lib/locale";
import { type ApiError, toApiError } from "@/lib/problem";
import { tryAgainIn } from "@/messages/common";
import { Button } from "./button";
import { CopyButton } from "./copy-button";
import { ErrorDetails } from "./error-details";

interface ErrorNoteProps {
  /** The error that a call threw. */
  error: unknown;
  /** Offers to try again, for calls that are safe to repeat, such as loading a list. */
  retry?: () => unknown;
}

/** An error, shown where it happened: inside a form or dialog, or in place of a list. */
export function ErrorNote({ error, retry }: ErrorNoteProps) {
  const { locale } = useLocale();
  const problem = toApiError(error);
  return (
    <div role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad-ink">
      <p>{explain(problem, locale)}</p>
      {problem.requestId && (
        <p className="mt-0.5 flex items-center gap-1 text-xs">
          <span className="min-w-0">
            Request <code className="break-all font-mono">{problem.requestId}</code>
          </span>
          <CopyButton value={problem.requestId} label="Copy request id" />
        </p>
      )}
      <ErrorDetails problem={problem} />
      {problem.details !== undefined ? (
        <Button size="sm" className="mt-1.5 mb-1" onClick={() => location.reload()}>
          Reload
        </Button>
      ) : (
        retry && (
          <Button size="sm" className="mt-1.5 mb-1" onClick={() => void retry()}>
            Try again
          </Button>
        )
      )}
    </div>
  );
}

function explain(problem: ApiError, locale: string): string {
  const { status, title, message, fix, retryAfter, requestId } = problem;
  if (status === 429 && retryAfter) return tryAgainIn({ count: Math.ceil(retryAfter / 60) }, locale);
  // No answer, or not the service's: the browser's own text would not help.
  if (status <= 0) return `${title}. ${fix}`;
  // A failing proxy sends no request id to quote.
  if (status >= 500 && !requestId) return `${message} Try again in a moment.`;
  return status === 403 || status >= 500 ? `${message} ${fix}` : message;
}
