// What was typed and not saved, kept for the tab: it survives a reload, and a session that ended
// until the same person has signed in again. Secrets are never kept here; see lib/edit.ts.

const prefix = "quayside.draft.";

export interface KeptDraft {
  draft: unknown;
  /** What the draft began as. */
  start: unknown;
  /** What the person saw, with its version. */
  seen: unknown;
}

/** Names a draft: whose it is, where, and of what. */
export function draftKey(person: string, workspace: string, thing: string): string {
  return `${prefix}${person}.${workspace}.${thing}`;
}

// Storage throws when it is full or blocked. The draft then lasts as long as the page.
function quietly<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

export function keepDraft(key: string, kept: KeptDraft): void {
  quietly((storage) => storage.setItem(key, JSON.stringify(kept)));
}

export function dropDraft(key: string): void {
  quietly((storage) => storage.removeItem(key));
}

export function findDraft(key: string): KeptDraft | undefined {
  return quietly((storage) => {
    const text = storage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as KeptDraft);
  });
}

/** The rest of every key that begins like this. */
export function draftsUnder(start: string): string[] {
  return keys()
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length));
}

/** Somebody else may use this tab now; what was typed before is not theirs to see. */
export function dropDraftsOfOthers(person: string): void {
  for (const key of keys())
    if (key.startsWith(prefix) && !key.startsWith(`${prefix}${person}.`)) dropDraft(key);
}

export function dropAllDrafts(): void {
  for (const key of keys()) if (key.startsWith(prefix)) dropDraft(key);
}

function keys(): string[] {
  return (
    quietly((storage) => Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "")) ?? []
  );
}
