import { useMutation } from "@tanstack/react-query";
import { FlaskConical, Plus, Send } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { testRecordMutation } from "@/api/@tanstack/react-query.gen";
import type { Column, FailureDetail } from "@/api/types.gen";
import { addMember } from "@/lib/completion";
import { findProblem, members } from "@/lib/json-text";
import { usePlace } from "@/lib/session";
import { mayGiveUp } from "@/lib/unsaved";
import { Button } from "@/ui/button";
import { Conflict } from "@/ui/conflict";
import { CopyButton } from "@/ui/copy-button";
import { ErrorNote } from "@/ui/error-note";
import { JsonEditor } from "@/ui/json-editor";
import { maxColoredLength } from "@/ui/json-text";
import { Menu, MenuItem } from "@/ui/menu";
import { UnsavedNote } from "@/ui/unsaved-note";
import { useWho } from "./attempts";
import { Diff } from "./diff";
import type { PanelProps } from "./failure-panel";
import { absentFields, marksFor } from "./marks";
import { AnswerNote, OutcomeNote } from "./outcome-note";
import { Part } from "./part";
import { usePayloadEdit } from "./use-payload-edit";

interface EditPayloadProps extends PanelProps {
  detail: FailureDetail;
  columns: readonly Column[];
}

const results: Record<string, string> = {
  created: "It would be stored as a new row.",
  updated: "It would change the row with this key.",
  unchanged: "It would be accepted; the row already has these values.",
  stale: "It would change nothing; a newer delivery of this record is stored.",
};

/** An editor for the payload, with a dry run and a retry. */
export function EditPayload({ detail, columns, ...props }: EditPayloadProps) {
  const { workspace } = usePlace();
  const { failure, errors } = detail;
  const edit = usePayloadEdit(detail, props);
  const { session, draft: text, dirty, saving, theirs } = edit;
  const [select, setSelect] = useState(() => firstWrong(text, detail));
  const check = useMutation(testRecordMutation());
  // Marks the fields of the latest errors: from a check, a retry, or the failed import itself.
  const refused = props.outcome && "answer" in props.outcome ? props.outcome.answer.errors : errors;
  const wrong = check.data?.errors ?? refused;
  const marks = useMemo(() => (text.length > maxColoredLength ? [] : marksFor(text, wrong)), [text, wrong]);
  const accepted = useMemo(() => columns.filter((column) => column.accepted), [columns]);
  const settled = useDeferredValue(text);
  const missing = useMemo(() => absentFields(settled, wrong), [settled, wrong]);
  const broken = useMemo(() => findProblem(settled) !== undefined, [settled]);

  function discard() {
    session.giveUp();
    props.onEdit(false);
  }
  async function leave() {
    if (await mayGiveUp(session)) discard();
  }
  function send() {
    if (findProblem(text)) return;
    check.reset();
    void session.save();
  }
  function add(column: Column) {
    const added = addMember(text, column.name, JSON.stringify(column.example));
    session.type(added.text);
    setSelect({ from: added.from, to: added.to });
  }
  return (
    <Part
      title="Edit the payload"
      actions={<AddColumn columns={accepted} text={settled} missing={missing} onAdd={add} />}
    >
      <JsonEditor
        label="The payload as JSON"
        value={text}
        onValueChange={session.type}
        columns={accepted}
        marks={marks}
        onSubmit={send}
        onLeave={() => void leave()}
        select={select}
      />
      <MissingColumns columns={accepted} missing={missing} onAdd={add} />
      <div aria-live="polite" className="mt-2 empty:hidden">
        {edit.restored && !theirs && <UnsavedNote onDiscard={discard} />}
        {theirs && <PayloadConflict edit={edit} />}
        {props.outcome && !theirs && !check.data && !check.error && (
          <OutcomeNote outcome={props.outcome} onRetry={() => void edit.overwrite()} retrying={saving} />
        )}
        {check.error && <ErrorNote error={check.error} />}
        {check.data && (
          <AnswerNote
            answer={check.data}
            good={results[check.data.result ?? ""] ?? "It would be stored."}
            bad="It would be refused."
          />
        )}
      </div>
      <div className="sticky bottom-0 -mx-4 max-md:bottom-[calc(3.5rem+env(safe-area-inset-bottom))] mt-3 flex flex-wrap items-center gap-2 border-line border-t bg-surface px-4 py-2.5 lg:-bottom-3">
        <Button
          variant="primary"
          icon={<Send aria-hidden />}
          disabled={broken || Boolean(theirs)}
          loading={saving}
          onClick={send}
        >
          Save and retry
        </Button>
        <Button
          icon={<FlaskConical aria-hidden />}
          disabled={broken}
          loading={check.isPending}
          onClick={() =>
            check.mutate({
              path: { workspace: workspace.id, slug: failure.slug },
              body: { record: text, failure: failure.id },
            })
          }
        >
          Check
        </Button>
        <Button variant="ghost" onClick={discard}>
          {dirty ? "Discard" : "Cancel"}
        </Button>
        <span className="ml-auto text-subtle text-xs max-md:hidden">The original payload is kept.</span>
      </div>
    </Part>
  );
}

/** A conflict, because somebody else has sent the record meanwhile: their payload and the draft. */
function PayloadConflict({ edit }: { edit: ReturnType<typeof usePayloadEdit> }) {
  const who = useWho();
  const { session, theirs, draft, saving } = edit;
  if (!theirs) return null;
  const { text, stored } = theirs.seen;
  const name = theirs.actor && who(theirs.actor.by_type, theirs.actor.by_id);
  return (
    <Conflict
      by={name && name.charAt(0).toUpperCase() + name.slice(1)}
      at={theirs.at}
      saving={saving}
      onKeepMine={stored ? undefined : () => void session.keepMine()}
      onTakeTheirs={session.takeTheirs}
      actions={<CopyButton value={draft} label="Copy mine" />}
    >
      <p className="mt-2">
        {stored
          ? "The record is stored, so it cannot be sent again. Copy yours if you still need it."
          : "Their payload was refused, too."}{" "}
        Changes from theirs to yours:
      </p>
      <div className="mt-1.5 text-ink">
        <Diff before={text} after={draft} />
      </div>
    </Conflict>
  );
}

/** The range to select first: the value of the first wrong field, or the place to add a missing one. */
function firstWrong(text: string, detail: FailureDetail): { from: number; to: number } {
  const [mark] = marksFor(text, detail.errors);
  const member = mark && members(text).find((one) => one.start === mark.start);
  if (member) return { from: member.end - member.value.length, to: member.end };
  const end = members(text).at(-1)?.end ?? 0;
  return { from: end, to: end };
}

interface AddColumnProps {
  columns: readonly Column[];
  text: string;
  /** The names of the missing columns that the errors ask for. */
  missing: string[];
  onAdd: (column: Column) => void;
}

/** A menu that adds columns that the payload lacks. */
function AddColumn({ columns, text, missing, onAdd }: AddColumnProps) {
  const there = useMemo(() => new Set(members(text).map((member) => member.name)), [text]);
  const rank = (column: Column) => (missing.includes(column.name) ? 0 : column.required ? 1 : 2);
  const free = columns.filter((column) => !there.has(column.name)).sort((a, b) => rank(a) - rank(b));
  if (free.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="sm" icon={<Plus aria-hidden />}>
          Add a column
        </Button>
      }
    >
      {free.map((column) => (
        <MenuItem key={column.name} onSelect={() => onAdd(column)}>
          <span className="flex items-baseline justify-between gap-4">
            <code className="font-mono text-xs">{column.name}</code>
            <span className="text-subtle text-xs">
              {column.type}
              {rank(column) === 0 && ", missing"}
            </span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}

/** Buttons that add the missing fields that the errors ask for. */
function MissingColumns({ columns, missing, onAdd }: Omit<AddColumnProps, "text">) {
  const asked = columns.filter((column) => missing.includes(column.name));
  if (asked.length === 0) return null;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-1.5">
      <span className="text-muted text-xs">Missing:</span>
      {asked.map((column) => (
        <Button key={column.name} size="sm" icon={<Plus aria-hidden />} onClick={() => onAdd(column)}>
          <code className="font-mono">{column.name}</code>
        </Button>
      ))}
    </div>
  );
}
