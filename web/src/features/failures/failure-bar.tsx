import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ban, Download, RotateCcw, Send, Wrench } from "lucide-react";
import { useState } from "react";
import { getFailure } from "@/api/sdk.gen";
import type { Failure } from "@/api/types.gen";
import { eachOf } from "@/lib/each";
import { findProblem, onOneLine } from "@/lib/json-text";
import { saveFile } from "@/lib/save-file";
import { usePlace } from "@/lib/session";
import { BulkBar } from "@/ui/bulk-bar";
import { Button, buttonClass } from "@/ui/button";
import { toast } from "@/ui/toast";
import { type FailureFilter, type FailureStatus, filterOf } from "./filter";
import { exportAddress } from "./list-actions";
import { useReopen } from "./use-reopen";

interface FailureBarProps {
  chosen: readonly Failure[];
  status: FailureStatus;
  filter: FailureFilter;
  /** How many match the filter. */
  total: number | undefined;
  clear: () => void;
  onRetry: () => void;
  /** The progress of their retry. */
  progress: string | undefined;
  onDismiss: () => void;
}

/** The actions on the selected rows, or on all that match. */
export function FailureBar(props: FailureBarProps) {
  const { chosen, status, filter, total = 0, clear, onRetry, progress, onDismiss } = props;
  const [everything, setEverything] = useState(false);
  const all = everything && total > chosen.length;
  const reopen = useReopen();
  const save = useDownload();
  return (
    <BulkBar
      count={all ? total : chosen.length}
      all={{ total, select: () => setEverything(true) }}
      clear={clear}
      progress={progress}
    >
      {all ? (
        <Everything status={status} filter={filter} />
      ) : (
        <>
          <Button
            size="sm"
            variant="primary"
            icon={<Send aria-hidden />}
            loading={progress !== undefined}
            onClick={onRetry}
          >
            Retry
          </Button>
          {status === "open" && (
            <Button size="sm" icon={<Ban aria-hidden />} onClick={onDismiss}>
              Dismiss…
            </Button>
          )}
          {status === "ignored" && (
            <Button
              size="sm"
              icon={<RotateCcw aria-hidden />}
              onClick={() => {
                reopen(chosen.map((one) => one.id));
                clear();
              }}
            >
              Reopen
            </Button>
          )}
          <Button
            size="sm"
            icon={<Download aria-hidden />}
            loading={save.isPending}
            onClick={() => save.mutate(chosen)}
          >
            Download
          </Button>
        </>
      )}
    </BulkBar>
  );
}

/** The actions on all matching rows, which the service runs. */
function Everything({ status, filter }: Pick<FailureBarProps, "status" | "filter">) {
  const { workspace } = usePlace();
  return (
    <>
      {status === "open" && (
        <Link
          to="/w/$workspace/failures/retry"
          params={{ workspace: workspace.id }}
          search={filterOf(filter)}
          className={buttonClass("primary", "sm")}
        >
          <Wrench aria-hidden />
          Fix and retry…
        </Link>
      )}
      <a href={exportAddress(workspace, status, filter)} download className={buttonClass("secondary", "sm")}>
        <Download aria-hidden />
        Download
      </a>
    </>
  );
}

/** Downloads the selected payloads in the format of the service's own export. */
function useDownload() {
  const { workspace } = usePlace();
  return useMutation({
    mutationFn: async (failures: readonly Failure[]) => {
      const payloads = new Map<string, string>();
      await eachOf(failures, async (one) => {
        const path = { workspace: workspace.id, failure: one.id };
        payloads.set(one.id, (await getFailure({ path, throwOnError: true })).data.payload);
      });
      const lines = failures.map((one) => `${toLine(payloads.get(one.id) ?? "")}\n`);
      saveFile(new Blob(lines, { type: "application/x-ndjson" }), "failed-imports.ndjson");
    },
    onError: (error) => toast.error(error, "Not downloaded"),
  });
}

/** A payload that is not JSON becomes a JSON string, as in the service's own export. */
function toLine(payload: string): string {
  const line = onOneLine(payload);
  return line === payload && findProblem(payload) ? JSON.stringify(payload) : line;
}
