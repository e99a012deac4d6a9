import { useMemo, useState } from "react";
import type { FailureDetail } from "@/api/types.gen";
import { layOut } from "@/lib/json-text";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { JsonText } from "@/ui/json-text";
import { absentFields, marksFor } from "./marks";
import { Part } from "./part";

/** The received payload, with the wrong fields marked. */
export function Payload({ detail }: { detail: FailureDetail }) {
  const { payload, errors, exact } = detail;
  const laidOut = useMemo(() => layOut(payload), [payload]);
  const [asItCame, setAsItCame] = useState(false);
  const text = asItCame ? payload : laidOut;
  const marks = useMemo(() => marksFor(text, errors), [text, errors]);
  const absent = useMemo(() => absentFields(text, errors), [text, errors]);
  return (
    <Part
      title="Payload"
      actions={
        <>
          {laidOut !== payload && (
            <Button variant="ghost" size="sm" aria-pressed={asItCame} onClick={() => setAsItCame(!asItCame)}>
              {asItCame ? "Format" : "Show original"}
            </Button>
          )}
          <CopyButton value={payload} label="Copy the payload" />
        </>
      }
    >
      <JsonText label="Payload" text={text} marks={marks}>
        {absent.map((name) => (
          <div key={name} className="-mr-3 -ml-11 select-none bg-bad-soft pr-3 pl-11 text-bad-ink">
            <span className="italic">missing: {name}</span>
          </div>
        ))}
      </JsonText>
      {!exact && (
        <p className="mt-1 text-muted text-xs">
          The payload is not text; bytes that cannot be shown are replaced by �.
        </p>
      )}
    </Part>
  );
}
