import { type ReactNode, useEffect, useRef } from "react";
import { cx } from "@/lib/cx";

const tones = {
  bad: "bg-bad-soft text-bad-ink border-bad",
  /** The content has its own style, so the note adds none. */
  plain: "bg-surface border-transparent p-0!",
  info: "bg-raised text-ink border-line",
};

interface CellNoteProps {
  id?: string;
  tone: keyof typeof tones;
  children: ReactNode;
}

/** A note directly under a cell. */
export function CellNote({ id, tone, children }: CellNoteProps) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In braces: newer browsers return a promise, which is not a clean-up function.
    note.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, []);
  return (
    <div
      ref={note}
      id={id}
      role={tone === "plain" ? undefined : tone === "info" ? "status" : "alert"}
      className={cx(
        "absolute top-full left-0 z-10 w-72 whitespace-normal rounded-md border px-3 py-2 text-left text-sm shadow-pop",
        tones[tone],
      )}
    >
      {children}
    </div>
  );
}
