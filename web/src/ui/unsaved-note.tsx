import { PencilLine } from "lucide-react";
import { cx } from "@/lib/cx";
import { Button } from "./button";

interface UnsavedNoteProps {
  /** Absent if the form has its own button for it. */
  onSave?: (() => void) | undefined;
  onDiscard: () => void;
  className?: string;
}

/** Marks a draft that was restored after a reload or a new sign-in. */
export function UnsavedNote({ onSave, onDiscard, className }: UnsavedNoteProps) {
  return (
    <div
      role="status"
      className={cx(
        "flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-md bg-accent-soft px-3 py-2 text-left text-accent-ink text-sm",
        className,
      )}
    >
      <span className="flex items-start gap-2">
        <PencilLine className="mt-0.5 size-4 shrink-0" aria-hidden />
        Not saved yet: this is what you typed before.
      </span>
      <span className="flex gap-2">
        {onSave && (
          <Button size="sm" variant="primary" onClick={onSave}>
            Save
          </Button>
        )}
        <Button size="sm" onClick={onDiscard}>
          Discard
        </Button>
      </span>
    </div>
  );
}
