import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { copyText } from "@/lib/copy";
import { Button } from "./button";
import { IconButton } from "./icon-button";

interface CopyButtonProps {
  value: string;
  label?: string;
  /** Shows the label beside the icon. */
  text?: boolean;
  onCopied?: () => void;
}

type Outcome = "idle" | "copied" | "refused";

export function CopyButton({ value, label = "Copy", text, onCopied }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome>("idle");

  useEffect(() => {
    if (outcome === "idle") return;
    const timer = setTimeout(() => setOutcome("idle"), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    const done = await copyText(value);
    setOutcome(done ? "copied" : "refused");
    if (done) onCopied?.();
  }

  const said = outcome === "copied" ? "Copied" : outcome === "refused" ? "Select and copy by hand" : label;
  const icon = outcome === "copied" ? <Check className="text-good" aria-hidden /> : <Copy aria-hidden />;
  return (
    <>
      {text ? (
        <Button size="sm" icon={icon} onClick={copy}>
          {said}
        </Button>
      ) : (
        <IconButton label={said} icon={icon} size="sm" onClick={copy} />
      )}
      <span role="status" className="sr-only">
        {outcome === "idle" ? "" : said}
      </span>
    </>
  );
}
