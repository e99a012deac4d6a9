import { useRef } from "react";
import { getFailure } from "@/api/sdk.gen";
import type { Attempt, FailureDetail } from "@/api/types.gen";
import { useEdit } from "@/lib/edit";
import { layOut } from "@/lib/json-text";
import { ApiError, toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import type { PanelProps } from "./failure-panel";
import { nameOf } from "./use-retry";

/** Names the draft of a payload. */
export const payloadThing = (failure: string) => `payload/${failure}`;

/** A payload has no version; the latest attempt tells whether somebody else has sent it. */
export interface SeenPayload {
  text: string;
  /** The id of the latest attempt, or all zeros. */
  latest: string;
  /** The record is stored, so it cannot be sent again. */
  stored: boolean;
}

const noAttempt = "00000000-0000-0000-0000-000000000000";

function seenIn({ failure, payload, attempts }: FailureDetail): SeenPayload {
  const [latest] = attempts;
  return {
    text: layOut(latest?.payload ?? payload),
    latest: latest?.id ?? noAttempt,
    stored: failure.status === "resolved",
  };
}

/** The latest attempt that the person knows: newer attempts count only if all are their own. */
export function latestKnown(attempts: readonly Attempt[], seen: string, person: string): string {
  const since = attempts.slice(
    0,
    Math.max(0, seen === noAttempt ? attempts.length : indexOf(attempts, seen)),
  );
  return since.every((one) => one.by_id === person) ? (since[0]?.id ?? seen) : seen;
}

const indexOf = (attempts: readonly Attempt[], id: string) => attempts.findIndex((one) => one.id === id);

/** Edits a payload; saving sends it again. */
export function usePayloadEdit(detail: FailureDetail, { onSend, onEdit }: PanelProps) {
  const { workspace, person } = usePlace();
  const { failure, payload, attempts } = detail;
  const start = layOut(payload);
  const overwriting = useRef(false);
  const edit = useEdit<string, SeenPayload>(payloadThing(failure.id), {
    seen: { ...seenIn(detail), text: start },
    toDraft: ({ text }) => text,
    save: async (text, seen) => {
      try {
        const answer = await onSend({
          id: failure.id,
          name: nameOf(failure),
          // If only the formatting differs, exactly the received payload is sent.
          payload: text === start ? undefined : text,
          seen: latestKnown(attempts, seen.latest, person.id),
          overwrite: overwriting.current,
        });
        if (answer.status !== 200) throw new ApiError({ code: "refused" }, answer.status);
      } catch (cause) {
        const error = toApiError(cause);
        throw error.code === "resolved" ? new ApiError({ code: "resolved" }, 412) : error;
      }
      return undefined;
    },
    look: async (_, refusal) => {
      // A newer row has its own question, with a button to overwrite it.
      if (refusal.code === "newer") throw refusal;
      const { data } = await getFailure({
        path: { workspace: workspace.id, failure: failure.id },
        throwOnError: true,
      });
      const [latest] = data.attempts;
      return { seen: seenIn(data), actor: latest, at: latest?.at ?? data.failure.closed_at };
    },
    onSaved: () => onEdit(false),
  });
  /** Sends the payload even if the row was changed after the import failed. */
  async function overwrite() {
    overwriting.current = true;
    await edit.session.save();
    overwriting.current = false;
  }
  return { ...edit, overwrite };
}
