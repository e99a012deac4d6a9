import { useRouter } from "@tanstack/react-router";
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Row, Table, TableColumn } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { useWide } from "@/lib/media";
import { usePlace } from "@/lib/session";
import type { Step } from "./cell-editor";
import { type CellEdit, useCellEdits } from "./cell-edits";
import { GridHead } from "./grid-head";
import { GridRow, LoadingRow } from "./grid-row";
import { frozenOf, headHeight, placeColumns, rowHeight } from "./layout";
import type { Links } from "./links";
import { type Cell, move } from "./movement";
import type { TableState } from "./state";
import { useResize } from "./use-resize";

const isHandle = (event: MouseEvent) => Boolean((event.target as HTMLElement).closest("[data-resize]"));

/** The number of placeholder rows while more rows load. */
const standIns = 20;
/** How many rows before the end of the loaded rows the next page is requested: some screens. */
const ahead = 120;
const overscan = 8;

interface GridProps {
  table: Table;
  columns: TableColumn[];
  rows: Row[];
  /** Whether there are more rows to load. */
  more: boolean;
  loading: boolean;
  loadMore: () => void;
  /** The number of rows, if known exactly. */
  total: number | undefined;
  /** The names of the records that rows refer to. */
  links: Links;
  /** The widths of resized columns. */
  widths: Record<string, number>;
  onResize: (widths: Record<string, number>) => void;
  sort: TableState["sort"];
  onSort: (field: string) => void;
  onOpen: (record: string) => void;
  open: string | undefined;
  canEdit: boolean;
  /** The rows are those of the previous state, until the new ones are loaded. */
  dimmed: boolean;
}

/**
 * A virtual grid: any number of rows, of which only the visible ones are in the document.
 *
 * Rows come in pages that each begin where the previous one ended; a page in the middle cannot be
 * requested. So the scroll area is as tall as the loaded rows and a few loading rows. The next page
 * is requested well before its rows become visible, and the scrollbar's thumb shrinks as the area
 * grows. Scrolling to the end, or Ctrl+End, reaches the loading rows and continues from there. To
 * see the other end of a table, sort it the other way, which is as fast as the first page.
 */
export function Grid(props: GridProps) {
  const { table, columns, rows, more, loading, loadMore, total, sort, canEdit } = props;
  const locale = useLocale();
  const router = useRouter();
  const { workspace } = usePlace();
  const wide = useWide("md");
  const resize = useResize(props.widths, props.onResize);
  const sizes = JSON.stringify(resize.widths);
  const placed = useMemo(
    () => placeColumns(columns, JSON.parse(sizes), wide ? frozenOf(table, columns) : 1),
    [columns, sizes, wide, table],
  );
  const inSight = placed.reduce((sum, one) => sum + (one.left === undefined ? 0 : one.width), 0);
  const width = useMemo(() => placed.reduce((sum, one) => sum + one.width, 0), [placed]);
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const { edits, editsOf, begin, end } = useCellEdits(table.slug);
  const [note, setNote] = useState<string>();
  // The focus follows the active cell only when a key or a click moved it.
  const wanted = useRef(false);

  const at: Cell = {
    row: Math.min(active.row, rows.length - 1),
    column: Math.min(active.column, Math.max(0, columns.length - 1)),
  };
  const activeRow = at.row;
  const editing = edits.some(
    (one) => one.record === rows[at.row]?.id && one.column === columns[at.column]?.name,
  );
  const kept = useMemo(() => {
    const edited = new Set(edits.map((one) => one.record));
    return rows.flatMap(({ id }, index) => (edited.has(id) || index === activeRow ? [index] : []));
  }, [edits, rows, activeRow]);
  const virtualizer = useVirtualizer({
    count: rows.length + (more ? standIns : 0),
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    paddingStart: headHeight,
    overscan,
    useFlushSync: false,
    // The active row stays in the document while scrolling, because it may have the focus; so do the
    // rows that are edited.
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b),
      [kept],
    ),
  });
  const items = virtualizer.getVirtualItems();
  const last = virtualizer.range?.endIndex ?? 0;

  useEffect(() => {
    if (more && !loading && last >= rows.length - ahead) loadMore();
  }, [more, loading, last, rows.length, loadMore]);

  useLayoutEffect(() => {
    if (!wanted.current || editing) return;
    const cell = box.current?.querySelector<HTMLElement>(
      `[data-row="${at.row}"] > [data-column="${at.column}"]`,
    );
    if (!cell) return;
    wanted.current = false;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  const go = (cell: Cell) => {
    wanted.current = true;
    setNote(undefined);
    setActive(cell);
  };
  const done = useCallback(
    (edit: CellEdit, step: Step, held: boolean) => {
      end(edit);
      // If another cell is active by now, it stays active.
      if (!held) return;
      wanted.current = true;
      setActive((cell) => ({
        row: cell.row,
        column: Math.max(0, Math.min(columns.length - 1, cell.column + step)),
      }));
    },
    [end, columns.length],
  );

  function edit() {
    const column = columns[at.column];
    const record = rows[at.row];
    if (!column || !record) return;
    const why = canEdit
      ? column.locked
      : "Your role can only read records. Buyers and Company-Admins can edit them.";
    if (why) setNote(why.charAt(0).toUpperCase() + why.slice(1) + (/[.!?]$/.test(why) ? "" : "."));
    else begin(record.id, column.name);
  }

  /** Alt with an arrow key resizes the column of a header. */
  function onAlt(event: KeyboardEvent) {
    const by = { ArrowRight: 16, ArrowLeft: -16 }[event.key];
    const column = placed[at.column];
    if (!by || at.row >= 0 || !column) return;
    event.preventDefault();
    resize.step(column, by);
  }

  function onKeyDown(event: KeyboardEvent) {
    if ((event.target as HTMLElement).closest("[data-editor]")) return;
    if (event.altKey) return onAlt(event);
    const ctrl = event.ctrlKey || event.metaKey;
    if (ctrl && event.key === "Enter") return follow(event);
    const page = Math.max(1, Math.floor(((box.current?.clientHeight ?? 0) - headHeight) / rowHeight) - 1);
    const to = move(at, event.key, ctrl, { rows: rows.length, columns: columns.length, page });
    const record = rows[at.row];
    if (to) {
      if (event.key === "End" && ctrl && more && !loading) loadMore();
      go(to);
    } else if (ctrl) return;
    else if (event.key === "Escape" && note) setNote(undefined);
    else if (at.row < 0 && (event.key === "Enter" || event.key === " ")) {
      const column = columns[at.column];
      if (column) props.onSort(column.name);
    } else if (event.key === "Enter" || event.key === "F2") edit();
    else if ((event.key === " " || event.key === "o") && record) props.onOpen(record.id);
    else return;
    event.preventDefault();
  }

  function cellOf(event: MouseEvent): Cell | undefined {
    const cell = (event.target as HTMLElement).closest<HTMLElement>("[data-column]");
    const row = cell?.closest<HTMLElement>("[data-row]");
    return cell && row ? { row: Number(row.dataset.row), column: Number(cell.dataset.column) } : undefined;
  }

  /** Goes to the record that a cell refers to. */
  function follow(event: KeyboardEvent | MouseEvent) {
    const link = (event.target as HTMLElement)
      .closest("[data-column]")
      ?.querySelector<HTMLAnchorElement>("a[data-link]");
    if (!link) return;
    event.preventDefault();
    router.history.push(link.pathname + link.search);
  }

  function onPointerDown(event: PointerEvent) {
    const column = placed[cellOf(event)?.column ?? -1];
    if (column && isHandle(event)) resize.draw(event, column);
  }

  function onDoubleClick(event: MouseEvent) {
    const cell = cellOf(event);
    const column = placed[cell?.column ?? -1];
    if (isHandle(event) && column) resize.forget(column);
    else if (!editing && (cell?.row ?? -1) >= 0) edit();
  }

  function onClick(event: MouseEvent) {
    if (isHandle(event)) return;
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (plain && (event.target as HTMLElement).closest("a[data-link]")) return follow(event);
    const record = (event.target as HTMLElement).closest<HTMLElement>("[data-open]")?.dataset.open;
    const cell = cellOf(event);
    if (!cell || (event.target as HTMLElement).closest("[data-editor]")) return;
    go(cell);
    if (record) props.onOpen(record);
    const column = columns[cell.column];
    if (cell.row < 0 && column) props.onSort(column.name);
  }

  return (
    <div
      ref={box}
      role="grid"
      aria-label={table.title}
      aria-rowcount={total === undefined ? -1 : total + 1}
      aria-colcount={columns.length}
      aria-readonly={!canEdit}
      aria-busy={loading}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onPointerDown={onPointerDown}
      onDoubleClick={onDoubleClick}
      className={cx(
        "relative h-[max(20rem,calc(100dvh-15rem))] overflow-auto overscroll-contain rounded-lg border border-line bg-surface shadow-card max-md:h-[max(20rem,calc(100dvh-19rem))]",
        props.dimmed && "opacity-60",
      )}
      style={{ scrollPaddingTop: headHeight, scrollPaddingLeft: inSight }}
    >
      <div
        role="rowgroup"
        className="relative min-w-full"
        style={{ height: virtualizer.getTotalSize(), width }}
      >
        <GridHead
          columns={placed}
          width={width}
          sort={sort}
          active={at.row < 0 ? at.column : undefined}
          canEdit={canEdit}
        />
        {items.map((item) => {
          const row = rows[item.index];
          if (!row) return <LoadingRow key={item.key} start={item.start} width={width} />;
          const mine = item.index === at.row;
          return (
            <GridRow
              // Keyed by position: when the rows change, the focused cell keeps the focus.
              key={item.key}
              table={table.slug}
              row={row}
              index={item.index}
              start={item.start}
              width={width}
              columns={placed}
              links={props.links}
              workspace={workspace.id}
              locale={locale}
              active={mine ? at.column : undefined}
              edits={editsOf(row.id)}
              note={mine ? note : undefined}
              open={row.id === props.open}
              canEdit={canEdit}
              onDone={done}
            />
          );
        })}
      </div>
    </div>
  );
}
