import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { focusedRow, useListKeys } from "@/lib/list-keys";
import type { ListRows } from "@/lib/list-rows";
import { useLocale } from "@/lib/locale";
import { useWide } from "@/lib/media";
import type { FileColumn } from "@/lib/save-rows";
import type { Selection } from "@/lib/selection";
import { useShortcuts } from "@/lib/shortcuts";
import { asCsv, rowsSaved } from "@/messages/common";
import { Button } from "./button";
import { Card } from "./card";
import { Checkbox } from "./checkbox";
import { ListStates } from "./list-states";
import { SkeletonRows, SkeletonText } from "./skeleton";
import { Table, Td, Th, Tr } from "./table";
import { toast } from "./toast";

export interface Column<T> {
  id: string;
  head: ReactNode;
  /** Shows the header to screen readers only, such as that of a menu's column. */
  hiddenHead?: boolean;
  num?: boolean;
  /** For the header and the cells, such as a width, or the screen width from which it is shown. */
  className?: string;
  /** The sort order that a press on the header chooses. */
  sort?: string;
  cell: (row: T) => ReactNode;
}

export interface DataListProps<T> {
  /** Names the list, for screen readers. */
  caption: string;
  /** The word for one row, for shortcuts and checkboxes. */
  noun: string;
  list: ListRows<T>;
  idOf: (row: T) => string;
  /** The name of a row. */
  nameOf: (row: T) => string;
  columns: readonly Column<T>[];
  /** A row on a phone, instead of its columns. */
  card?: (row: T) => ReactNode;
  /** Shown if there are no rows. */
  empty: ReactNode;
  sort?: { by: string | undefined; onSort: (by: string) => void } | undefined;
  selection?: Selection<T> | undefined;
  /** How many rows match, if known. */
  total?: number | undefined;
  /** Called for a press anywhere on a row, except on its links and buttons. */
  onOpen?: (row: T) => void;
  /** The row that is open beside the list. */
  open?: string | undefined;
  /** Called when the keys move to another row. */
  onMove?: ((id: string) => void) | undefined;
  /** The ids that the keys move through; by default those of the rows. */
  ids?: readonly string[];
  rowClass?: (row: T) => string | undefined;
  /** Divides the rows into blocks with a heading each. The rows of a block follow each other. */
  blocks?: { of: (row: T) => string; head: (block: string) => ReactNode } | undefined;
  /** Above the rows, on their card. */
  title?: ReactNode;
  actions?: ReactNode;
  footer?: ReactNode;
  /** Renders no card, because the list is already on one. */
  bare?: boolean;
  /** The columns of the CSV file; absent: the rows cannot be saved as a file. */
  file?: readonly FileColumn<T>[];
}

/**
 * A list with all of its states. The keys j and k move through the rows, x selects, and with the
 * shift key the rows passed are selected. The focus goes to a row's first link.
 */
export function DataList<T>(props: DataListProps<T>) {
  const { noun, list, idOf, selection, title, actions, footer, bare } = props;
  const { rows, more } = list;
  const { ids = (rows ?? []).map(idOf), open, onMove } = props;
  const onReach = (reached: readonly (string | undefined)[]) =>
    selection?.set(rows?.filter((row) => reached.includes(idOf(row))) ?? [], true);
  const keys = useListKeys({
    ids,
    current: open,
    noun,
    onMove,
    onEnd: more?.load,
    onReach: selection && onReach,
  });
  const toggle = () => {
    const id = focusedRow() ?? open;
    const row = rows?.find((one) => idOf(one) === id);
    if (selection && row) selection.set([row], !selection.has(row));
  };
  useShortcuts(selection ? [{ keys: "x", label: `Select the ${noun}`, group: "Lists", run: toggle }] : []);
  const known = (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the rows inside
    <div onKeyDown={keys.onKeyDown}>
      {rows?.length === 0 ? <div data-empty>{props.empty}</div> : <Rows {...props} />}
      {rows && rows.length > 0 && <Foot {...props} shown={rows.length} />}
    </div>
  );
  const shown = bare ? (
    known
  ) : (
    <Card flush title={title} actions={actions} footer={footer}>
      {known}
    </Card>
  );
  return (
    <ListStates list={list} loading={shown}>
      {() => shown}
    </ListStates>
  );
}

function Rows<T>(props: DataListProps<T>) {
  const { card, list } = props;
  const wide = useWide("md");
  if (!card || wide) return <RowTable {...props} />;
  if (!list.rows)
    return (
      <div className="p-4">
        <SkeletonText lines={8} />
      </div>
    );
  return <RowCards {...props} card={card} rows={list.rows} />;
}

function RowTable<T>(props: DataListProps<T>) {
  const { caption, list, columns, sort, selection, idOf } = props;
  const { rows } = list;
  return (
    <Table caption={caption}>
      <thead>
        <tr>
          {selection && rows && (
            <Th className="w-0 pr-0!">
              <SelectAll selection={selection} rows={rows} />
            </Th>
          )}
          {columns.map(({ id, head, hiddenHead, num, className, sort: by }) => (
            <Th
              key={id}
              num={num}
              className={className}
              {...(by && sort && { sort: sort.by === by ? "asc" : null, onSort: () => sort.onSort(by) })}
            >
              {hiddenHead ? <span className="sr-only">{head}</span> : head}
            </Th>
          ))}
        </tr>
      </thead>
      {rows ? (
        inBlocks(rows, props.blocks?.of).map(([block, some]) => (
          <tbody key={block}>
            {props.blocks && (
              <tr>
                <th
                  scope="rowgroup"
                  colSpan={columns.length + Number(Boolean(selection))}
                  className="border-line border-b bg-canvas px-4 py-1.5 text-left font-normal"
                >
                  {props.blocks.head(block)}
                </th>
              </tr>
            )}
            {some.map((row) => (
              <Row key={idOf(row)} {...props} row={row} />
            ))}
          </tbody>
        ))
      ) : (
        <tbody>
          <SkeletonRows rows={8} columns={columns.length} />
        </tbody>
      )}
    </Table>
  );
}

/** The rows by block, in their order. */
function inBlocks<T>(rows: readonly T[], of: ((row: T) => string) | undefined): [string, T[]][] {
  const blocks: [string, T[]][] = [];
  for (const row of rows) {
    const block = of?.(row) ?? "";
    const last = blocks.at(-1);
    if (last?.[0] === block) last[1].push(row);
    else blocks.push([block, [row]]);
  }
  return blocks;
}

interface RowProps<T> extends DataListProps<T> {
  row: T;
}

function Row<T>({ row, columns, idOf, nameOf, selection, onOpen, open, rowClass }: RowProps<T>) {
  const shown = open !== undefined && open === idOf(row);
  return (
    <Tr
      data-row={idOf(row)}
      tabIndex={-1}
      selected={selection?.has(row)}
      className={cx(
        "has-[a:focus-visible]:bg-hover/60 focus-visible:bg-hover/60 focus-visible:outline-none",
        onOpen && "cursor-pointer",
        shown && "bg-hover shadow-[inset_2px_0_0_var(--accent)]",
        rowClass?.(row),
      )}
      onClick={onOpen && ((event) => !isControl(event) && onOpen(row))}
    >
      {selection && (
        <Td className="w-0 pr-0!">
          <SelectOne selection={selection} row={row} name={nameOf(row)} />
        </Td>
      )}
      {columns.map(({ id, num, className, cell }) => (
        <Td key={id} num={num} className={className}>
          {cell(row)}
        </Td>
      ))}
    </Tr>
  );
}

/** Whether a press on a row was meant for a control in it. */
function isControl({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest("a,button,input,time") !== null;
}

interface RowCardsProps<T> extends DataListProps<T> {
  rows: readonly T[];
  card: (row: T) => ReactNode;
}

function RowCards<T>({ caption, rows, card, idOf, nameOf, selection, blocks }: RowCardsProps<T>) {
  return inBlocks(rows, blocks?.of).map(([block, some]) => (
    <ul key={block} aria-label={caption} className="divide-y divide-line border-line not-last:border-b">
      {blocks && <li className="bg-canvas px-4 py-2">{blocks.head(block)}</li>}
      {some.map((row) => (
        <li key={idOf(row)} data-row={idOf(row)} tabIndex={-1} className="flex gap-3 px-4 py-3">
          {selection && (
            <span className="pt-1">
              <SelectOne selection={selection} row={row} name={nameOf(row)} />
            </span>
          )}
          <div className="min-w-0 flex-1">{card(row)}</div>
        </li>
      ))}
    </ul>
  ));
}

function SelectAll<T>({ selection, rows }: { selection: Selection<T>; rows: readonly T[] }) {
  const all = rows.length > 0 && rows.every(selection.has);
  return (
    <Checkbox
      aria-label="Select all rows shown"
      checked={all}
      indeterminate={!all && rows.some(selection.has)}
      onCheckedChange={(on) => selection.set(rows, on)}
    />
  );
}

/** With the shift key, a press also sets the rows between this one and the one pressed before. */
function SelectOne<T>({ selection, row, name }: { selection: Selection<T>; row: T; name: string }) {
  return (
    <Checkbox
      aria-label={`Select ${name}`}
      checked={selection.has(row)}
      onCheckedChange={(on, shift) => (shift ? selection.reach(row, on) : selection.set([row], on))}
    />
  );
}

function Foot<T>(props: DataListProps<T> & { shown: number }) {
  const { list, shown, total, file } = props;
  const { more } = list;
  const { locale } = useLocale();
  if (!more && total === undefined && !file) return null;
  const of = total !== undefined && total > shown ? ` of ${formatNumber(total, locale)}` : "";
  return (
    <div className="flex min-h-10 items-center gap-3 border-line border-t px-4 py-2 text-subtle text-xs">
      <span className="flex-1">
        {formatNumber(shown, locale)}
        {of} shown
      </span>
      {file && <SaveButton {...props} file={file} />}
      {more && (
        <Button size="sm" loading={more.loading} onClick={more.load}>
          Show more
        </Button>
      )}
    </div>
  );
}

/** For more rows there is the table's export, which the service writes. */
const maxSaved = 10_000;

interface SaveButtonProps<T> extends DataListProps<T> {
  file: readonly FileColumn<T>[];
}

/** Saves all matching rows, also those that are not shown. */
function SaveButton<T>({ list, caption, noun, total, file }: SaveButtonProps<T>) {
  const { more } = list;
  const rows = list.unfolded ?? list.rows ?? [];
  const { locale } = useLocale();
  const count = more ? total : rows.length;
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const all = more ? await more.upTo(maxSaved) : rows;
      const { saveRows } = await import("@/lib/save-rows");
      saveRows(caption, file, all);
      return all.length;
    },
    onSuccess: (saved) => {
      const cut = saved === maxSaved && (count ?? Infinity) > saved;
      toast.success(rowsSaved({ count: saved, first: Number(cut) }, locale));
    },
    onError: (error) => toast.error(error, `No file of ${caption.toLowerCase()} was saved`),
  });
  return (
    <Button
      size="sm"
      variant="ghost"
      icon={<Download aria-hidden />}
      loading={isPending}
      onClick={() => mutate()}
    >
      {count === undefined ? `Every ${noun} as CSV` : asCsv({ count: Math.min(count, maxSaved) }, locale)}
    </Button>
  );
}
