import { cx } from "@/lib/cx";
import { Td, Tr } from "./table";

/**
 * A grey placeholder of the content's size; invisible for the first 300 ms, unless the person has
 * already waited (`now`).
 */
export function Skeleton({ now, className }: { now?: boolean; className?: string }) {
  return <span aria-hidden className={cx("skeleton block h-3.5", now && "skeleton-now", className)} />;
}

interface SkeletonTextProps {
  lines?: number;
  label?: string;
  now?: boolean;
}

export function SkeletonText({ lines = 3, label = "Loading", now }: SkeletonTextProps) {
  const widths = ["w-full", "w-11/12", "w-4/5", "w-10/12"];
  return (
    <div role="status" className="flex flex-col gap-2.5 py-1">
      <span className="sr-only">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton
          // biome-ignore lint/suspicious/noArrayIndexKey: identical stand-ins
          key={line}
          now={now}
          className={line === lines - 1 ? "w-2/5" : widths[line % widths.length]}
        />
      ))}
    </div>
  );
}

/** Rows as tall as real ones, so that the page does not jump when they arrive. */
export function SkeletonRows({ rows = 5, columns }: { rows?: number; columns: number }) {
  const widths = ["w-3/5", "w-4/5", "w-2/5", "w-3/4", "w-1/2"];
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: identical stand-ins
    <Tr key={row} aria-hidden>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: identical stand-ins
        <Td key={column}>
          <Skeleton className={widths[(row + column) % widths.length]} />
        </Td>
      ))}
    </Tr>
  ));
}
