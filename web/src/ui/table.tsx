import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "@/lib/cx";

interface TableProps {
  /** Names the table and its scroll area, for screen readers. */
  caption: string;
  children: ReactNode;
}

export function Table({ caption, children }: TableProps) {
  return (
    // Focusable, so that the keyboard can scroll it. Positioned, because hidden text for screen
    // readers is absolute and would otherwise widen the page from inside the scroll area.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll area
    <section className="relative overflow-x-auto -outline-offset-2!" aria-label={caption} tabIndex={0}>
      <table className="w-full border-separate border-spacing-0 text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
  );
}

export type SortDirection = "asc" | "desc";

interface ThProps extends ComponentProps<"th"> {
  /** Aligns numbers right, so that their digits line up. */
  num?: boolean;
  sort?: SortDirection | null;
  onSort?: (next: SortDirection) => void;
}

export function Th({ num, sort, onSort, className, children, ...rest }: ThProps) {
  const Arrow = sort === "asc" ? ArrowUp : sort === "desc" ? ArrowDown : ChevronsUpDown;
  return (
    <th
      scope="col"
      aria-sort={sort ? (sort === "asc" ? "ascending" : "descending") : undefined}
      {...rest}
      className={cx(
        "h-8 whitespace-nowrap border-line border-b bg-sunken px-3 font-medium text-muted text-xs first:pl-4 last:pr-4",
        num && "text-right",
        className,
      )}
    >
      {onSort ? (
        <button
          type="button"
          onClick={() => onSort(sort === "asc" ? "desc" : "asc")}
          className={cx(
            "-mx-1 inline-flex h-6 items-center gap-1 rounded-sm px-1 hover:text-ink",
            num && "flex-row-reverse",
          )}
        >
          {children}
          <Arrow className={cx("size-3", !sort && "opacity-60")} aria-hidden />
        </button>
      ) : (
        children
      )}
    </th>
  );
}

interface TrProps extends ComponentProps<"tr"> {
  selected?: boolean;
}

export function Tr({ selected, className, ...rest }: TrProps) {
  return (
    <tr
      {...rest}
      aria-selected={selected}
      className={cx(
        "group/row transition-colors hover:bg-hover/60 [&:last-child>td]:border-b-0",
        selected && "bg-accent-soft hover:bg-accent-soft",
        className,
      )}
    />
  );
}

export function Td({ num, className, ...rest }: ComponentProps<"td"> & { num?: boolean }) {
  return (
    <td
      {...rest}
      className={cx(
        "h-9 border-line border-b px-3 first:pl-4 last:pr-4",
        num && "text-right tabular-nums",
        className,
      )}
    />
  );
}
