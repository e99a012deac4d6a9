import { X } from "lucide-react";
import type { ReactNode } from "react";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { selected } from "@/messages/common";
import { Button } from "./button";
import { IconButton } from "./icon-button";

interface BulkBarProps {
  /** How many are selected; the bar is there when there are any. */
  count: number;
  /** Offers everything that matches, where that is more: all, or as many `of` them as can be had. */
  all?: { total: number; of?: number; select: () => void; loading?: boolean } | undefined;
  clear: () => void;
  /** Instead of the count: how far something is. */
  progress?: string | undefined;
  /** What can be done with them. */
  children: ReactNode;
}

/** What can be done with the rows that are selected. */
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
      <IconButton label="Select nothing" icon={<X />} size="sm" onClick={clear} />
    </section>
  );
}
