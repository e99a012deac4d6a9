import { X } from "lucide-react";
import { usePlace } from "@/lib/session";
import { rowsFilled, rowsLeft } from "@/messages/ordering";
import { IconButton } from "@/ui/icon-button";
import type { Left } from "./paste";

interface PasteNoteProps {
  pasted: { filled: number; left: Left[] } | undefined;
  onClose: () => void;
}

/** What became of a pasted sheet: all rows that were not taken are listed. */
export function PasteNote({ pasted, onClose }: PasteNoteProps) {
  const { workspace } = usePlace();
  if (!pasted) return null;
  const { filled, left } = pasted;
  return (
    <div
      role="status"
      className="mb-3 flex items-start gap-2 rounded-md border border-line bg-sunken px-3 py-2 text-sm"
    >
      <div className="min-w-0 flex-1">
        {rowsFilled({ count: filled }, workspace.locale)}
        {left.length > 0 && `. ${rowsLeft({ count: left.length }, workspace.locale)}:`}
        <ul className="max-h-40 overflow-y-auto">
          {left.map(({ row, why }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two rows may be the same, and none moves
            <li key={index} className="break-words">
              <code className="font-mono text-xs">{row || "(empty)"}</code>{" "}
              <span className="text-warn-ink">{why}</span>
            </li>
          ))}
        </ul>
      </div>
      <IconButton label="Close" icon={<X aria-hidden />} size="sm" onClick={onClose} />
    </div>
  );
}
