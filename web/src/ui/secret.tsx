import { Eye, EyeOff, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Button } from "./button";
import { CopyButton } from "./copy-button";
import { IconButton } from "./icon-button";

interface SecretProps {
  label: string;
  value: string;
  /** What to do with the secret; by default to store it. */
  advice?: string;
  /** The label of the button that confirms this. */
  saved?: string;
  /** Called when the reader confirms; the caller then drops the value. */
  onSaved: () => void;
}

const storeIt = "Store it now; we keep a hash and cannot show it again.";

const dots = "•".repeat(24);

/** A value that is shown once. Hidden at first: screens are shared and recorded. */
export function Secret({ label, value, advice = storeIt, saved = "I saved it", onSaved }: SecretProps) {
  const [shown, setShown] = useState(false);
  // Before the secret is revealed or copied, "I saved it" can only be a mistake.
  const [handled, setHandled] = useState(false);
  return (
    <section aria-label={label} className="overflow-hidden rounded-lg border border-warn-ink/30 bg-warn-soft">
      <div className="flex items-start gap-2 px-3 pt-2.5 text-warn-ink">
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
        <p className="wrap-anywhere min-w-0">
          <strong className="font-semibold">{label} is shown only once.</strong> {advice}
        </p>
      </div>
      <div className="m-3 flex min-w-0 items-center gap-1 rounded-md border border-line bg-surface py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 break-all font-mono text-ink text-xs">
          {shown ? value : <span aria-hidden>{dots}</span>}
          {!shown && <span className="sr-only">hidden</span>}
        </code>
        <IconButton
          label={shown ? "Hide" : "Reveal"}
          icon={shown ? <EyeOff /> : <Eye />}
          size="sm"
          onClick={() => {
            setShown(!shown);
            setHandled(true);
          }}
        />
        <CopyButton value={value} onCopied={() => setHandled(true)} />
      </div>
      <div className="flex justify-end border-warn-ink/20 border-t px-3 py-2">
        <Button size="sm" variant="primary" disabled={!handled} onClick={onSaved}>
          {saved}
        </Button>
      </div>
    </section>
  );
}
