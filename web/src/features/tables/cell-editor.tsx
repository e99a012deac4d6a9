import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import type { Row, TableColumn } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { hasLeft } from "@/lib/edit";
import { useLocale } from "@/lib/locale";
import { Conflict } from "@/ui/conflict";
import { UnsavedNote } from "@/ui/unsaved-note";
import { CellNote } from "./cell-note";
import { useCellEdit } from "./use-cell-edit";
import { formatValue } from "./value";

/** Where the focus goes after an edit: along the row, or nowhere. */
export type Step = -1 | 0 | 1;

interface CellEditorProps {
  table: string;
  row: Row;
  column: TableColumn;
  /** `held`: the editor had the focus, which needs a new place. */
  onDone: (step: Step, held: boolean) => void;
}

/**
 * Edits one value in its cell. It is sent with the version that the person saw. The service checks
 * it as it checks records from systems.
 */
export function CellEditor({ table, row, column, onDone }: CellEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const control = useRef<HTMLTextAreaElement & HTMLInputElement & HTMLSelectElement>(null);
  const next = useRef<Step>(0);
  const leave = () => {
    const { activeElement } = document;
    // A late answer must not take the focus if it has moved elsewhere.
    onDone(next.current, activeElement === document.body || Boolean(box.current?.contains(activeElement)));
  };
  const edit = useCellEdit(table, row, column, leave);
  const { session, draft, saving, failure, theirs, restored } = edit;

  useEffect(() => {
    const field = control.current;
    // A restored draft does not take the focus.
    if (!field || session.state.restored) return;
    field.focus();
    if ("select" in field && typeof field.select === "function") field.select();
  }, [session]);

  function giveUp() {
    session.giveUp();
    leave();
  }
  function commit(step: Step) {
    next.current = step;
    if (session.dirty) void session.save();
    else giveUp();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      next.current = 0;
      if (theirs) edit.takeTheirs();
      else giveUp();
    } else if (theirs || event.target !== control.current) {
      // In a conflict, and on the editor's buttons, Tab and Enter keep their usual meaning.
    } else if (event.key === "Tab") {
      event.preventDefault();
      commit(event.shiftKey ? -1 : 1);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      commit(0);
    }
  }

  const said = useId();
  const problem = failure && (failure.fieldError(column.name) ?? failure.message);
  const common = {
    value: draft,
    "aria-label": column.label,
    "aria-invalid": Boolean(problem),
    "aria-describedby": problem && said,
    "aria-busy": saving,
    className: cx(
      "min-h-8 w-full border-2 bg-raised px-1.5 py-1 text-ink text-sm outline-none pointer-coarse:text-lg",
      problem ? "border-bad" : "border-accent-ink",
      column.type === "number" && "text-right tabular-nums",
    ),
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the control inside
    <div
      ref={box}
      data-editor
      onKeyDown={onKeyDown}
      // Moving the focus on the page saves; a switch to another window does not.
      onBlur={(event) => session.savesOnLeave && hasLeft(event) && commit(0)}
      className={cx("absolute top-0 left-0 min-w-full", column.type === "text" && !column.choices && "w-72")}
    >
      <Control control={control} column={column} common={common} onChange={session.type} />
      {problem && (
        <CellNote id={said} tone="bad">
          {problem}
        </CellNote>
      )}
      {restored && !problem && !theirs && (
        <CellNote tone="plain">
          <UnsavedNote onSave={session.save} onDiscard={giveUp} />
        </CellNote>
      )}
      {theirs && (
        <CellNote tone="plain">
          <CellConflict edit={edit} row={row} column={column} />
        </CellNote>
      )}
    </div>
  );
}

interface CellConflictProps {
  edit: ReturnType<typeof useCellEdit>;
  row: Row;
  column: TableColumn;
}

function CellConflict({ edit, column }: CellConflictProps) {
  const locale = useLocale();
  const { session, seen, theirs, draft, saving } = edit;
  if (!theirs) return null;
  const shown = (one: Row) => formatValue(column, one.values[column.name], locale) || "empty";
  return (
    <Conflict
      by={theirs.by}
      at={theirs.at}
      fields={[
        { name: column.label, before: shown(seen), theirs: shown(theirs.seen), mine: draft || "empty" },
      ]}
      saving={saving}
      onKeepMine={() => void session.keepMine()}
      onTakeTheirs={edit.takeTheirs}
    />
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
  // A single-line input would drop line breaks.
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
