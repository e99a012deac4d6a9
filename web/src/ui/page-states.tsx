import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { toApiError } from "@/lib/problem";
import { Button, buttonClass } from "./button";
import { CopyButton } from "./copy-button";
import { ErrorDetails } from "./error-details";
import { Page } from "./page";
import { Skeleton, SkeletonText } from "./skeleton";

export function Pending() {
  return (
    <div className="mx-auto w-full max-w-7xl px-4 py-6 md:px-6">
      <Skeleton now className="mb-6 h-6 w-48" />
      <SkeletonText now lines={6} label="Loading the page" />
    </div>
  );
}

export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const problem = toApiError(error);
  // A missing chunk means that a newer version was deployed: only a reload helps.
  const outdated = /dynamically imported module|module script failed/i.test(problem.details ?? "");
  const fault = problem.details !== undefined && !outdated;
  const retry = () => {
    if (outdated || fault) return location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Page
      title={
        outdated ? "A newer version is available" : fault ? problem.title : "This page could not be shown"
      }
    >
      <div role="alert" className="max-w-xl">
        <p className="text-base text-muted">
          {outdated ? "Reload to get it; nothing is lost." : fault ? problem.fix : problem.message}
        </p>
        {fault && <ErrorDetails problem={problem} />}
        {problem.requestId && (
          <p className="mt-2 flex items-center gap-1 text-subtle">
            Request <code className="font-mono text-xs">{problem.requestId}</code>
            <CopyButton value={problem.requestId} label="Copy request id" />
          </p>
        )}
        <Button variant="primary" className="mt-4" onClick={retry}>
          {outdated || fault ? "Reload" : "Try again"}
        </Button>
      </div>
    </Page>
  );
}

export function Missing() {
  return (
    <Page title="Page not found">
      <p className="mb-4 text-base text-muted">The address may be mistyped, or the record was deleted.</p>
      <Link to="/" className={buttonClass("primary")}>
        Go to the start page
      </Link>
    </Page>
  );
}
