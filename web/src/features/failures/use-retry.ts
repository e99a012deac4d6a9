import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { retryFailure } from "@/api/sdk.gen";
import type { Failure, TestAnswer } from "@/api/types.gen";
import { type ApiError, toApiError } from "@/lib/api";
import { eachOf } from "@/lib/each";
import { usePlace } from "@/lib/session";
import { retried, storedAndNot, stored as storedCount } from "@/messages/failures";
import { toast } from "@/ui/toast";
import { useReloadFailures } from "./queries";

export function nameOf(failure: Failure): string {
  return failure.record_key ?? "The record";
}

export interface Retry {
  id: string;
  /** The record's name, for the toast. */
  name: string;
  /** The edited payload; absent to send the received one. */
  payload?: string | undefined;
  overwrite?: boolean;
  /** The latest attempt that the person saw, or all zeros; the retry is refused if there is a newer one. */
  seen?: string | undefined;
}

/** The result of a retry: the endpoint's answer, or the error. */
export type Outcome = { sent: Retry } & ({ answer: TestAnswer } | { error: ApiError });

const results: Record<string, string> = {
  created: "It made a new row.",
  updated: "It changed the row with this key.",
  unchanged: "The row already had these values.",
  stale: "Nothing was changed: a newer delivery of this record is stored.",
};

/** Retries failed imports one at a time, and keeps the results until the page is left. */
export function useRetry() {
  const { workspace } = usePlace();
  const reload = useReloadFailures();
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const note = (id: string, outcome: Outcome | undefined) =>
    setOutcomes((all) => {
      const next = new Map(all);
      if (outcome) next.set(id, outcome);
      else next.delete(id);
      return next;
    });
  const { mutate, mutateAsync, variables, isPending } = useMutation({
    mutationFn: async ({ id, payload, overwrite, seen }: Retry) => {
      const body = {
        ...(payload !== undefined && { payload }),
        ...(overwrite && { overwrite }),
        ...(seen !== undefined && { seen }),
      };
      const { data } = await retryFailure({
        path: { workspace: workspace.id, failure: id },
        body,
        throwOnError: true,
      });
      return data;
    },
    onMutate: ({ id }) => note(id, undefined),
    onSuccess: (answer, sent) => {
      note(sent.id, { sent, answer });
      if (answer.status === 200)
        toast.success(
          answer.result === "stale" ? `${sent.name} is closed` : `${sent.name} is stored`,
          answer.result ? { description: results[answer.result] } : undefined,
        );
    },
    onError: (error, sent) => note(sent.id, { sent, error: toApiError(error) }),
    onSettled: reload,
  });
  return {
    retry: mutate,
    /** The same for an edit, which needs the result. */
    send: mutateAsync,
    retrying: isPending ? variables.id : undefined,
    outcome: (id: string) => outcomes.get(id),
  };
}

/** Retries the selected rows unchanged. Larger numbers need a bulk retry. */
export function useRetryChosen(done: () => void) {
  const { workspace } = usePlace();
  const reload = useReloadFailures();
  const [progress, setProgress] = useState<string>();
  const { mutate } = useMutation({
    mutationFn: async (failures: readonly Failure[]) => {
      const counts = { stored: 0, refused: 0, tried: 0 };
      await eachOf(failures, async (one) => {
        const path = { workspace: workspace.id, failure: one.id };
        const { data } = await retryFailure({ path, body: {} });
        counts.tried++;
        if (data?.status === 200) counts.stored++;
        else counts.refused++;
        setProgress(retried({ done: counts.tried, total: failures.length }, workspace.locale));
      });
      return counts;
    },
    onMutate: (failures) => setProgress(retried({ done: 0, total: failures.length }, workspace.locale)),
    onSuccess: ({ stored, refused }) => {
      const { locale } = workspace;
      done();
      if (refused === 0) toast.success(storedCount({ count: stored }, locale));
      else
        toast.error({
          title: stored === 0 ? "None was stored" : storedAndNot({ stored, refused }, locale),
          cause: "They stay open; each one shows its reason.",
        });
    },
    onError: (error) => toast.error(error, "Not all were retried"),
    onSettled: () => {
      setProgress(undefined);
      return reload();
    },
  });
  return { run: mutate, progress };
}
