import type { Edit } from "@/lib/edit";
import { contested, same } from "@/lib/edit-state";
import { Conflict } from "./conflict";

interface FormConflictProps<D extends object, S> {
  edit: Edit<D, S>;
  /** The fields by the names that people know. */
  labels: Partial<Record<keyof D, string>>;
  /** How a value reads; as text unless told otherwise. */
  show?: (value: D[keyof D], name: keyof D) => string;
  /** How somebody who is known by id is called. */
  by?: string | undefined;
}

/** A conflict about a form: every field that either side has changed. */
export function FormConflict<D extends object, S>({ edit, labels, show, by }: FormConflictProps<D, S>) {
  const { session, start, draft, theirs, saving } = edit;
  if (!theirs) return null;
  const now = session.spec.toDraft(theirs.seen);
  const said = (of: D, name: keyof D) => (show ? show(of[name], name) : String(of[name] ?? "")) || "empty";
  return (
    <Conflict
      by={by ?? theirs.by}
      at={theirs.at}
      fields={contested(start, draft, now).map((name) => ({
        name: labels[name] ?? String(name),
        before: said(start, name),
        // Untouched fields become the other side's when mine is kept: no value may suggest otherwise.
        theirs: same(start[name], now[name]) ? "not changed" : said(now, name),
        mine: same(start[name], draft[name]) ? "not changed" : said(draft, name),
      }))}
      saving={saving}
      onKeepMine={() => void session.keepMine()}
      onTakeTheirs={session.takeTheirs}
    />
  );
}
