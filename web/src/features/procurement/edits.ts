import { useState } from "react";
import { draftKey, dropDraft, findDraft, keepDraft } from "@/lib/drafts";
import { usePlace } from "@/lib/session";
import type { Edits, RowEdit } from "./model";

export interface RowEdits {
  all: Edits;
  change: (key: string, edit: RowEdit) => void;
  /** Forgets the changes of rows that were drafted. */
  forget: (keys: readonly string[]) => void;
}

/**
 * What a person changed in rows, by their keys. The tab's storage keeps it, so that somebody who
 * looks at an article's page and comes back finds it again.
 */
export function useEdits(): RowEdits {
  const { person, workspace } = usePlace();
  const storage = draftKey(person.id, workspace.id, "to-order");
  const [all, setAll] = useState<Edits>(() => (findDraft(storage)?.draft as Edits | undefined) ?? {});
  const keep = (next: Edits) => {
    setAll(next);
    if (Object.keys(next).length === 0) dropDraft(storage);
    else keepDraft(storage, { draft: next, start: {}, seen: null });
  };
  return {
    all,
    change: (key, edit) => keep({ ...all, [key]: { ...all[key], ...edit } }),
    forget: (keys) => keep(Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key)))),
  };
}
