// Drafts: unsaved input, kept in the tab's storage. A draft survives a reload, and the end of a
// session until the same person signs in again. Secrets are never kept here; see lib/edit.ts.

const prefix = "quayside.draft.";

export interface KeptDraft {
  draft: unknown;
  /** The initial draft. */
  start: unknown;
  /** The value that the person saw, with its version. */
  seen: unknown;
}

/** The storage key of a draft: person, workspace and thing. */
export function draftKey(person: string, workspace: string, thing: string): string {
  return `${prefix}${person}.${workspace}.${thing}`;
}

// Storage throws if it is full or blocked. The draft then lasts as long as the page.
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

/** The keys with this prefix, without the prefix. */
export function draftsUnder(start: string): string[] {
  return keys()
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length));
}

/** Drops other people's drafts: another person may use this tab now. */
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
