import { X } from "lucide-react";
import type { ReactNode } from "react";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { selected } from "@/messages/common";
import { Button } from "./button";
import { IconButton } from "./icon-button";

interface BulkBarProps {
  /** How many rows are selected; with none the bar is hidden. */
  count: number;
  /** Offers to select all matching rows, or the first `total` if more (`of`) match than can be selected. */
  all?: { total: number; of?: number; select: () => void; loading?: boolean } | undefined;
  clear: () => void;
  /** Replaces the count while an action runs. */
  progress?: string | undefined;
  /** The buttons of the actions. */
  children: ReactNode;
}

/** The actions for the selected rows. */
export function BulkBar({ count, all, clear, progress, children }: BulkBarProps) {
  const { locale } = useLocale();
  if (count === 0) return null;
  return (
    <section
      aria-label="Selected rows"
      className="fixed inset-x-3 bottom-18 z-30 mx-auto flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border border-line bg-raised px-3 py-2 shadow-pop md:bottom-5 md:left-58"
    >
      <span role="status" className="font-medium tabular-nums">
        {progress ?? selected({ count }, locale)}
      </span>
      {all && all.total > count && (
        <Button variant="ghost" size="sm" loading={all.loading} onClick={all.select}>
          Select {all.of !== undefined && all.of > all.total ? "the first" : "all"}{" "}
          {formatNumber(all.total, locale)} that match
        </Button>
      )}
      <span className="mx-1 h-4 w-px bg-line max-md:hidden" aria-hidden />
      {children}
      <IconButton label="Clear the selection" icon={<X />} size="sm" onClick={clear} />
    </section>
  );
}
