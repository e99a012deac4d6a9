import { ArrowDown, ArrowUp, Lock } from "lucide-react";
import { cx } from "@/lib/cx";
import { stickyClass } from "./grid-row";
import { headHeight, type Placed } from "./layout";
import type { TableState } from "./state";

interface GridHeadProps {
  columns: Placed[];
  width: number;
  sort: TableState["sort"];
  active?: number | undefined;
  canEdit: boolean;
}

/** The header. A click or Enter sorts; the right edge, or Alt with an arrow key, resizes. */
export function GridHead({ columns, width, sort, active, canEdit }: GridHeadProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its cells get the focus
    <div
      role="row"
      aria-rowindex={1}
      data-row={-1}
      className="sticky top-0 z-10 flex border-line border-b bg-canvas dark:bg-raised"
      style={{ height: headHeight, width }}
    >
      {columns.map((placed, at) => {
        const { column, width: wide } = placed;
        const sorted = sort?.by === column.name;
        return (
          <div
            key={column.name}
            role="columnheader"
            aria-colindex={at + 1}
            aria-sort={sorted ? (sort.desc ? "descending" : "ascending") : undefined}
            tabIndex={active === at ? 0 : -1}
            data-column={at}
            title={[column.description, column.locked].filter(Boolean).join("\n\n")}
            className={cx(
              "relative flex h-full shrink-0 cursor-pointer select-none items-center gap-1 px-2.5 font-medium text-muted text-xs outline-none hover:text-ink",
              "focus:shadow-[inset_0_0_0_2px_var(--accent-ink)]",
              column.type === "number" && "justify-end",
              stickyClass(placed),
              sorted && "text-ink",
            )}
            style={{ width: wide, left: placed.left }}
          >
            <span className="truncate">{column.label}</span>
            {canEdit && column.locked && (
              <Lock className="size-3 shrink-0 text-subtle" aria-label="cannot be edited" />
            )}
            {sorted &&
              (sort.desc ? (
                <ArrowDown className="size-3.5 shrink-0" aria-hidden />
              ) : (
                <ArrowUp className="size-3.5 shrink-0" aria-hidden />
              ))}
            <span
              data-resize
              aria-hidden
              className="absolute inset-y-1 right-0 w-2 cursor-col-resize touch-none rounded-sm hover:bg-edge active:bg-accent-ink"
            />
          </div>
        );
      })}
    </div>
  );
}
