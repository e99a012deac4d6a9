import type { Edit } from "@/lib/edit";
import { contested, same } from "@/lib/edit-state";
import { Conflict } from "./conflict";

interface FormConflictProps<D extends object, S> {
  edit: Edit<D, S>;
  /** The fields' labels. */
  labels: Partial<Record<keyof D, string>>;
  /** Formats a value; by default as text. */
  show?: (value: D[keyof D], name: keyof D) => string;
  /** Names a person by id. */
  by?: string | undefined;
}

/** A conflict in a form: every field that either side changed. */
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
        // "Keep mine" takes over their value for fields that I did not touch, so none of mine is shown.
        theirs: same(start[name], now[name]) ? "not changed" : said(now, name),
        mine: same(start[name], draft[name]) ? "not changed" : said(draft, name),
      }))}
      saving={saving}
      onKeepMine={() => void session.keepMine()}
      onTakeTheirs={session.takeTheirs}
    />
  );
}
