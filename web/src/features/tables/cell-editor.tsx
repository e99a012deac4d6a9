import { useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { editRow, getRow } from "@/api/sdk.gen";
import type { Row, TableColumn } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { type ApiError, toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { CellNote } from "./cell-note";
import { showRow } from "./queries";
import { formatValue, fromDraft, toDraft } from "./value";

/** Where the focus goes when a cell is done: along its row, or nowhere. */
export type Step = -1 | 0 | 1;

interface CellEditorProps {
  table: string;
  row: Row;
  column: TableColumn;
  onDone: (step: Step) => void;
}

/**
 * One value, edited in its cell. It is sent with the version that was seen; the service
 * checks it as it checks what systems send, and has the last word.
 */
export function CellEditor({ table, row, column, onDone }: CellEditorProps) {
  const { timeZone } = useLocale();
  const before = toDraft(column, row.values[column.name], timeZone);
  const [draft, setDraft] = useState(before);
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<ApiError>();
  const [theirs, setTheirs] = useState<Row>();
  const box = useRef<HTMLDivElement>(null);
  const control = useRef<HTMLTextAreaElement & HTMLInputElement & HTMLSelectElement>(null);
  const client = useQueryClient();
  const { workspace } = usePlace();
  const path = { workspace: workspace.id, table, record: row.id };

  useEffect(() => {
    const field = control.current;
    field?.focus();
    if (field && "select" in field && typeof field.select === "function") field.select();
  }, []);

  async function commit(step: Step, version = row.version) {
    if (saving) return;
    if (draft === before && !theirs) return onDone(step);
    setSaving(true);
    setRefused(undefined);
    try {
      const { data } = await editRow({
        path,
        headers: { "If-Match": `"${version}"` },
        body: { values: { [column.name]: fromDraft(column, draft) } },
        throwOnError: true,
      });
      showRow(client, workspace.id, table, data);
      onDone(step);
    } catch (cause) {
      const error = toApiError(cause);
      if (error.status === 412) await lookAgain(error);
      else setRefused(error);
      setSaving(false);
      control.current?.focus();
    }
  }

  /** Somebody was faster: shows what stands there now. */
  async function lookAgain(conflict: ApiError) {
    try {
      const { data } = await getRow({ path, throwOnError: true });
      setTheirs(data);
    } catch {
      setRefused(conflict);
    }
  }

  function keepTheirs() {
    if (theirs) showRow(client, workspace.id, table, theirs);
    onDone(0);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (theirs) keepTheirs();
      else onDone(0);
    } else if (theirs || event.target !== control.current) {
      // The choice is made with its buttons.
    } else if (event.key === "Tab") {
      event.preventDefault();
      void commit(event.shiftKey ? -1 : 1);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void commit(0);
    }
  }

  const problem = refused && (refused.fieldError(column.name) ?? refused.message);
  const common = {
    value: draft,
    "aria-label": column.label,
    "aria-invalid": Boolean(problem),
    "aria-busy": saving,
    className: cx(
      "min-h-8 w-full border-2 bg-raised px-1.5 py-1 text-ink text-sm outline-none pointer-coarse:text-lg",
      problem ? "border-bad" : "border-accent-ink",
      column.type === "number" && "text-right tabular-nums",
    ),
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the control inside
    <div
      ref={box}
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        // Going elsewhere saves; what was refused, or needs a choice, waits for its answer.
        if (!box.current?.contains(event.relatedTarget) && !problem && !theirs) void commit(0);
      }}
      className={cx("absolute top-0 left-0 min-w-full", column.type === "text" && !column.choices && "w-72")}
    >
      <Control control={control} column={column} common={common} onChange={setDraft} />
      {problem && <CellNote tone="bad">{problem}</CellNote>}
      {theirs && (
        <Conflict
          column={column}
          row={row}
          theirs={theirs}
          saving={saving}
          onKeep={keepTheirs}
          onApply={() => void commit(0, theirs.version)}
        />
      )}
    </div>
  );
}

interface ControlProps {
  control: React.RefObject<(HTMLTextAreaElement & HTMLInputElement & HTMLSelectElement) | null>;
  column: TableColumn;
  common: { value: string; className: string; "aria-label": string };
  onChange: (draft: string) => void;
}

function Control({ control, column, common, onChange }: ControlProps) {
  const change = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  const choices = column.type === "boolean" ? ["true", "false"] : column.choices;
  if (choices)
    return (
      <select ref={control} {...common} onChange={change}>
        {(column.nullable || common.value === "") && <option value="">(empty)</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {column.type === "boolean" ? (choice === "true" ? "Yes" : "No") : choice}
          </option>
        ))}
      </select>
    );
  // One line would drop the line breaks of a text that has some.
  if (column.type === "text")
    return (
      <textarea
        ref={control}
        {...common}
        onChange={change}
        rows={Math.min(8, common.value.split("\n").length)}
      />
    );
  return (
    <input
      ref={control}
      {...common}
      onChange={change}
      type={column.type === "date" ? "date" : "text"}
      inputMode={column.type === "number" ? "decimal" : undefined}
      autoComplete="off"
    />
  );
}

interface ConflictProps {
  column: TableColumn;
  row: Row;
  theirs: Row;
  saving: boolean;
  onKeep: () => void;
  onApply: () => void;
}

function Conflict({ column, row, theirs, saving, onKeep, onApply }: ConflictProps) {
  const locale = useLocale();
  const shown = (one: Row) => formatValue(column, one.values[column.name], locale) || "empty";
  const same = shown(row) === shown(theirs);
  return (
    <CellNote tone="warn">
      <p>
        This record was changed in the meantime.{" "}
        {same ? (
          <>
            {column.label} is still <strong className="break-words">{shown(theirs)}</strong>.
          </>
        ) : (
          <>
            {column.label} was {shown(row)} and is <strong className="break-words">{shown(theirs)}</strong>{" "}
            now.
          </>
        )}
      </p>
      <div className="mt-2 flex gap-2">
        <Button size="sm" onClick={onKeep}>
          Keep theirs
        </Button>
        <Button size="sm" variant="primary" loading={saving} onClick={onApply}>
          Apply mine
        </Button>
      </div>
    </CellNote>
  );
}
