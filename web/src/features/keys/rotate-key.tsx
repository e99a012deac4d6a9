import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { rotateKeyMutation } from "@/api/@tanstack/react-query.gen";
import type { Key, RotateKeyRequest, SecretKey } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { useReloadKeys } from "./queries";
import { RevealKey } from "./reveal-key";

type Overlap = RotateKeyRequest["overlap"];

const overlaps: { value: Overlap; label: string; hint?: string }[] = [
  { value: "24h", label: "A day" },
  { value: "1h", label: "An hour" },
  { value: "7d", label: "Seven days" },
  { value: "none", label: "Not at all", hint: "its next call is refused" },
];

/** Creates a key's successor; the old key works for a while, so that callers can change over. */
export function RotateKey({ target, close }: { target: Key; close: () => void }) {
  const { workspace } = usePlace();
  const reload = useReloadKeys(workspace.id);
  const [open, setOpen] = useState(true);
  const [overlap, setOverlap] = useState<Overlap>("24h");
  const [made, setMade] = useState<SecretKey>();
  const { mutate, error, isPending } = useMutation({
    ...rotateKeyMutation(),
    onSuccess: (answer) => {
      setMade(answer);
      void reload();
    },
  });
  return (
    <Dialog
      title={made ? "Your new key" : `Rotate “${target.label}”`}
      description={made ? undefined : "Creates a key with the same access and a new secret."}
      open={open}
      // Nor may it close during the call: the successor would exist without anybody having seen it.
      onOpenChange={(next) => !made && !isPending && setOpen(next)}
      onClosed={close}
      size="md"
    >
      {made ? (
        <RevealKey made={made} done={() => setOpen(false)} />
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            mutate({ path: { workspace: workspace.id, key: target.id }, body: { overlap } });
          }}
        >
          <Field
            label="How long does the old key still work?"
            hint="Choose enough time to replace the old key everywhere."
          >
            <Select value={overlap} onValueChange={setOverlap} options={overlaps} />
          </Field>
          {error && <ErrorNote error={error} />}
          <div className="flex justify-end">
            <Button type="submit" variant="primary" loading={isPending}>
              Rotate key
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
