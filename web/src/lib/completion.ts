import { members, type Token, tokenize } from "./json-text";

/** A field that may be written, as a table's column describes it. */
export interface Offered {
  name: string;
  type: string;
  description: string;
  choices?: readonly string[];
  required?: boolean;
}

export interface Suggestion {
  /** The label shown, and the text that it inserts. */
  label: string;
  insert: string;
  detail: string;
  about: string;
}

export interface Completion {
  from: number;
  to: number;
  suggestions: Suggestion[];
}

/** Suggestions for the caret's place: names of columns, or the known values of a column. */
export function completionAt(
  text: string,
  caret: number,
  columns: readonly Offered[],
): Completion | undefined {
  const tokens = tokenize(text).filter((token) => token.kind !== "space");
  const under = tokens.find(
    (token) => token.kind !== "punctuation" && token.start < caret && caret <= token.end,
  );
  const before = tokens.findLast((token) => token.end <= (under?.start ?? caret));
  const depth = before ? before.depth + (/^[{[]/.test(text.slice(before.start)) ? 1 : 0) : 0;
  if (!before || depth !== 1) return undefined;
  const from = under?.start ?? caret;
  const to = under?.end ?? caret;
  const typed = text.slice(from, caret).replace(/^"/, "").toLowerCase();
  const previous = text[before.start];
  // After a closed string there is nothing to complete.
  if (under && (under.kind === "string" || under.kind === "name") && caret === under.end) return undefined;
  if (previous === "{" || previous === ",") return names(text, { from, to, typed }, tokens, columns);
  if (previous === ":") return values(text, { from, to, typed }, tokens, before, columns);
  return undefined;
}

interface Place {
  from: number;
  to: number;
  typed: string;
}

function names(text: string, { from, to, typed }: Place, tokens: Token[], columns: readonly Offered[]) {
  const taken = new Set(
    members(text)
      .filter((member) => member.start !== from)
      .map((member) => member.name),
  );
  const follows = tokens.find((token) => token.start >= to);
  const colon = follows && text[follows.start] === ":" ? "" : ": ";
  const suggestions = columns
    .filter((column) => !taken.has(column.name) && column.name.toLowerCase().includes(typed))
    .sort((a, b) => rank(a, typed) - rank(b, typed))
    .map((column) => ({
      label: column.name,
      insert: `${JSON.stringify(column.name)}${colon}`,
      detail: column.required ? `${column.type}, required` : column.type,
      about: column.description,
    }));
  return suggestions.length > 0 ? { from, to, suggestions } : undefined;
}

/** Names that begin with the typed text come first; otherwise the table's order stays. */
function rank(column: Offered, typed: string): number {
  return column.name.toLowerCase().startsWith(typed) ? 0 : 1;
}

function values(
  text: string,
  { from, to, typed }: Place,
  tokens: Token[],
  colon: Token,
  columns: readonly Offered[],
): Completion | undefined {
  const name = tokens.findLast((token) => token.end <= colon.start);
  const column = columns.find((one) => name && JSON.stringify(one.name) === text.slice(name.start, name.end));
  if (!column) return undefined;
  const known =
    column.choices?.map((choice) => JSON.stringify(choice)) ??
    (column.type === "boolean" ? ["true", "false"] : []);
  const suggestions = known
    .filter((value) => value.toLowerCase().includes(typed))
    .map((value) => ({ label: value, insert: value, detail: column.name, about: "" }));
  return suggestions.length > 0 ? { from, to, suggestions } : undefined;
}

/** Adds a field at the end of the record; returns the text and the range of the new value. */
export function addMember(
  text: string,
  name: string,
  value: string,
): { text: string; from: number; to: number } {
  const tokens = tokenize(text).filter((token) => token.kind !== "space");
  const close = tokens.findLast((token) => token.depth === 0 && text[token.start] === "}");
  const last = tokens.findLast((token) => token.start < (close?.start ?? text.length));
  if (!close || !last) {
    const made = `{\n  ${JSON.stringify(name)}: ${value}\n}`;
    return { text: made, from: made.length - 2 - value.length, to: made.length - 2 };
  }
  const comma = "{,".includes(text.charAt(last.start)) ? "" : ",";
  const head = `${text.slice(0, last.end)}${comma}\n  ${JSON.stringify(name)}: `;
  return {
    text: `${head}${value}\n${text.slice(close.start)}`,
    from: head.length,
    to: head.length + value.length,
  };
}
