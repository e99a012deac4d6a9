import { memo } from "react";
import type { Label, Row, TableColumn } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import type { Locale } from "@/lib/locale";
import { CellEditor, type Step } from "./cell-editor";
import type { CellEdit } from "./cell-edits";
import { CellNote } from "./cell-note";
import { type Placed, rowHeight } from "./layout";
import { Linked } from "./linked";
import { type Links, leadsTo } from "./links";
import { formatValue } from "./value";

const rowClass = "absolute top-0 left-0 flex border-line border-b [contain:layout_style]";

/** The style of a pinned column; the last one has an edge. */
export const stickyClass = ({ left, edge }: Placed) =>
  left !== undefined && cx("sticky z-1 bg-inherit", edge && "border-line border-r");

interface GridRowProps {
  table: string;
  row: Row;
  index: number;
  start: number;
  width: number;
  columns: Placed[];
  /** The names of the records that rows refer to. */
  links: Links;
  workspace: string;
  locale: Locale;
  /** The column of the active cell, which has or would get the focus. */
  active?: number | undefined;
  /** The cells of this row that are edited. */
  edits?: readonly CellEdit[] | undefined;
  /** A note about the active cell. */
  note?: string | undefined;
  open?: boolean;
  canEdit: boolean;
  onDone: (edit: CellEdit, step: Step, held: boolean) => void;
}

/** Memoised: while scrolling, only new rows are rendered. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { table, row, index, start, width, columns, locale, active, edits, note, open, canEdit, onDone } =
    props;
  const { links, workspace } = props;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its cells get the focus
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={open || undefined}
      data-row={index}
      className={cx(
        rowClass,
        "group",
        open ? "bg-accent-soft" : "bg-surface hover:bg-canvas dark:hover:bg-raised",
        (edits || note) && "z-2",
      )}
      style={{ height: rowHeight, width, transform: `translateY(${start}px)` }}
    >
      {columns.map((placed, at) => {
        const { column, width: wide } = placed;
        const value = row.values[column.name];
        const text = formatValue(column, value, locale);
        const href = leadsTo(workspace, table, column, value);
        const mine = active === at;
        const edit = edits?.find((one) => one.column === column.name);
        return (
          <div
            key={column.name}
            role="gridcell"
            aria-colindex={at + 1}
            aria-readonly={canEdit ? !column.editable : undefined}
            tabIndex={mine ? 0 : -1}
            data-column={at}
            className={cx(
              "relative flex h-full shrink-0 items-center px-2.5 outline-none",
              "focus:shadow-[inset_0_0_0_2px_var(--accent-ink)]",
              column.type === "number" && "justify-end tabular-nums",
              column.type === "uuid" && "font-mono text-xs",
              stickyClass(placed),
              at === 0 ? "font-medium text-ink" : column.editable ? "text-ink" : "text-muted",
              (edit || (mine && note)) && "z-2",
            )}
            style={{ width: wide, left: placed.left }}
          >
            {href ? (
              <CellLink href={href} column={column} text={text} label={links[column.name]?.[text]} />
            ) : (
              <span className="truncate whitespace-pre" title={text.length * 7 > wide ? text : undefined}>
                {text.includes("\n") ? text.replaceAll("\n", " ↵ ") : text}
              </span>
            )}
            {at === 0 && (
              <button
                type="button"
                tabIndex={-1}
                aria-label="Open the record"
                data-open={row.id}
                className="ml-auto grid size-6 shrink-0 place-items-center rounded-sm text-subtle opacity-0 hover:bg-hover hover:text-ink focus:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
              >
                <span aria-hidden>↗</span>
              </button>
            )}
            {edit && (
              <CellEditor
                key={row.id}
                table={table}
                row={row}
                column={column}
                onDone={(step, held) => onDone(edit, step, held)}
              />
            )}
            {mine && note && <CellNote tone="info">{note}</CellNote>}
          </div>
        );
      })}
    </div>
  );
});

interface CellLinkProps {
  href: string;
  column: TableColumn;
  text: string;
  label: Label | undefined;
}

/** A value that links to a record. A plain anchor, because the router's Link is too slow for every cell. */
function CellLink({ href, column, text, label }: CellLinkProps) {
  if (column.references && !label)
    return (
      <span className="truncate">
        <Linked id={text} label={undefined} />
      </span>
    );
  return (
    <a
      href={href}
      data-link
      tabIndex={-1}
      title={label && [label.label, label.code].filter(Boolean).join(", ")}
      className="truncate rounded-sm text-accent-ink hover:underline"
    >
      {column.references ? <Linked id={text} label={label} /> : text}
    </a>
  );
}

/** A row that is still loading. */
export function LoadingRow({ start, width }: { start: number; width: number }) {
  return (
    <div
      aria-hidden
      data-loading
      className={cx(rowClass, "items-center px-2.5 text-subtle")}
      style={{ height: rowHeight, width, transform: `translateY(${start}px)` }}
    >
      <span className="sticky left-2.5">Loading…</span>
    </div>
  );
}
