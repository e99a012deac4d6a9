import { testConnection } from "@/api/sdk.gen";
import type { Connection } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { Time } from "@/ui/time";
import { useConnectionCall } from "./queries";

/** What came of the last test, and a button for another. */
export function TestResult({ connection }: { connection: Connection }) {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id, connection: connection.id };
  const { mutate, isPending, error } = useConnectionCall(() => testConnection({ path, throwOnError: true }));
  const { test } = connection;
  return (
    <>
      <p role="status" className={test?.passed === false ? "text-bad-ink" : undefined}>
        {!test && "Not tested with this address and token."}
        {test?.passed && (
          <>
            It answered and took the token. <Time value={test.at} />
          </>
        )}
        {test?.passed === false && test.failure}
      </p>
      {error && <ErrorNote error={error} />}
      <div className="mt-1.5">
        <Button size="sm" loading={isPending} onClick={() => mutate(undefined)}>
          {test ? "Test again" : "Test"}
        </Button>
      </div>
    </>
  );
}
