import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import type { Line } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { hasLeft, useDrafts } from "@/lib/edit";
import type { EditSession } from "@/lib/edit-session";
import { useLocale } from "@/lib/locale";
import { Conflict } from "@/ui/conflict";
import { Input } from "@/ui/input";
import { UnsavedNote } from "@/ui/unsaved-note";
import { contestedLine, type InlineField, type Typed, useFieldEdit, useInlineThing } from "./field-edit";
import { editable, editWarning, fieldName } from "./line-words";
import { SupplierPicker } from "./pickers";
import { useActors } from "./queries";

interface InlineProps {
  line: Line;
  field: InlineField;
  /** The value while it is not edited. */
  children: ReactNode;
  num?: boolean;
}

/** A value that is edited in place: Enter starts and saves, Tab saves, Esc cancels. */
export function Inline(props: InlineProps) {
  const { line, field, children, num } = props;
  const thing = useInlineThing(line, field);
  const drafts = useDrafts();
  const [editing, setEditing] = useState(() => drafts(thing).includes(thing));
  const shown = useRef<HTMLButtonElement>(null);
  const back = useRef(false);
  useLayoutEffect(() => {
    // Before paint: otherwise a drawer would take the focus when the focused element is removed.
    if (!editing && back.current) shown.current?.focus();
    back.current = false;
  }, [editing]);
  if (editing)
    return (
      <Editor
        {...props}
        leave={(focused) => {
          back.current = focused;
          setEditing(false);
        }}
      />
    );
  // As tall as the button, so that the values of a row are aligned.
  if (!editable(line, field)) return <span className="inline-block py-1">{children}</span>;
  return (
    <button
      ref={shown}
      type="button"
      onClick={() => setEditing(true)}
      className={cx(
        "-mx-1.5 min-h-7 rounded-md border border-transparent px-1.5 hover:border-edge hover:bg-surface pointer-coarse:min-h-10",
        num ? "whitespace-nowrap text-right" : "text-left",
      )}
    >
      {children}
      <span className="sr-only">
        , edit {fieldName(field).toLowerCase()} of {line.sku}
      </span>
    </button>
  );
}

interface EditorProps extends InlineProps {
  /** `focused`: the editor had the focus, which must return to the button. */
  leave: (focused: boolean) => void;
}

function Editor({ line, field, num, leave }: EditorProps) {
  const box = useRef<HTMLSpanElement>(null);
  const left = () => {
    const { activeElement } = document;
    // A late answer must not take the focus if it has moved elsewhere.
    leave(activeElement === document.body || Boolean(box.current?.contains(activeElement)));
  };
  const edit = useFieldEdit(line, field, left);
  const { session, draft, failure, theirs, restored } = edit;

  function giveUp() {
    session.giveUp();
    left();
  }
  function commit() {
    if (edit.changed()) void session.save();
    else giveUp();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      giveUp();
    } else if (event.key === "Enter" && event.target instanceof HTMLInputElement && field !== "supplier_id") {
      event.preventDefault();
      commit();
    }
  }

  const said = useId();
  const warning = editWarning(line.status, field);
  const problem = failure && (failure.fieldError(field) ?? failure.message);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys and blur of the field inside
    <span
      ref={box}
      className={cx("block", num ? "min-w-24" : "min-w-32")}
      onKeyDown={onKeyDown}
      // Tab and a click elsewhere save; a switch to another window does not.
      onBlur={(event) => session.savesOnLeave && hasLeft(event) && commit()}
    >
      <Control {...{ line, field, num, draft, restored }} session={session} wrong={problem && said} />
      {warning && !problem && !theirs && !restored && (
        <span className="mt-1 block text-muted text-xs">{warning}</span>
      )}
      {problem && (
        <span role="alert" id={said} className="mt-1 block text-bad-ink text-xs">
          {problem}
        </span>
      )}
      {restored && !theirs && !problem && (
        <UnsavedNote className="mt-1 max-w-64" onSave={session.save} onDiscard={giveUp} />
      )}
      {theirs && (
        <LineConflict
          edit={edit}
          field={field}
          onTaken={left}
          onKept={() => {
            // The button is removed with the conflict, so the focus moves to the field.
            box.current?.querySelector("input")?.focus();
            void session.keepMine();
          }}
        />
      )}
    </span>
  );
}

interface LineConflictProps {
  edit: ReturnType<typeof useFieldEdit>;
  field: InlineField;
  onTaken: () => void;
  onKept: () => void;
}

function LineConflict({ edit, field, onTaken, onKept }: LineConflictProps) {
  const actor = useActors();
  const { locale } = useLocale();
  const { session, seen, theirs, draft } = edit;
  if (!theirs) return null;
  return (
    <Conflict
      className="mt-1 w-72 max-w-[calc(100vw-8rem)] whitespace-normal"
      by={theirs.actor && actor(theirs.actor)}
      at={theirs.at}
      {...contestedLine(seen, theirs.seen, field, draft, locale)}
      onKeepMine={onKept}
      onTakeTheirs={() => {
        session.takeTheirs();
        session.giveUp();
        onTaken();
      }}
    />
  );
}

interface ControlProps {
  line: Line;
  field: InlineField;
  num: boolean | undefined;
  draft: Typed;
  restored: boolean;
  session: EditSession<Typed, Line>;
  /** The id of the error message. */
  wrong: string | undefined;
}

function Control({ line, field, num, draft, restored, session, wrong }: ControlProps) {
  const label = `${fieldName(field)} of ${line.sku}`;
  if (field === "supplier_id")
    return (
      <SupplierPicker
        label={label}
        initial={draft.text || (line.supplier_name ?? "")}
        autoFocus={!restored}
        // Picking also changes the text.
        onText={(text) => text !== session.state.draft.text && session.type({ text })}
        onPick={({ id, name }) => {
          session.type({ text: name, id });
          void session.save();
        }}
      />
    );
  return (
    <Input
      aria-label={label}
      type={field === "expected_arrival_date" ? "date" : "text"}
      inputMode={num ? "decimal" : undefined}
      maxLength={field === "note" ? 2000 : field === "currency" ? 3 : 30}
      autoComplete="off"
      // A restored draft does not take the focus.
      autoFocus={!restored}
      aria-invalid={Boolean(wrong)}
      aria-describedby={wrong}
      className={cx(num && "text-right")}
      value={draft.text}
      onChange={(event) => session.type({ text: event.currentTarget.value })}
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}
