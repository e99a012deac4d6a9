// JSON as text: payloads are shown, marked, edited and laid out without ever being parsed into
// values, because JavaScript's numbers would lose digits and its objects repeated names.

export type TokenKind = "name" | "string" | "number" | "word" | "punctuation" | "space" | "bad";

export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
  /** How many objects and arrays enclose the token; a bracket is outside of its own object or array. */
  depth: number;
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const space = /\s+/y;
// A string ends at the end of its line at the latest; an unclosed one is bad up to there.
const string = /"(?:[^"\\\n]|\\.)*"/y;
const openString = /"(?:[^"\\\n]|\\.)*\\?/y;
const other = /[^\s{}[\]:,"]+/y;

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Cuts any text into tokens without gaps; parts that are not JSON become `bad`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  /** The last token that is not space: a colon turns a string before it into a name. */
  let last: Token | undefined;
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    let kind: TokenKind;
    let end = at + 1;
    if ("{}[]:,".includes(char)) {
      kind = "punctuation";
      if (char === ":" && last?.kind === "string") last.kind = "name";
      if (char === "}" || char === "]") depth = Math.max(0, depth - 1);
    } else if (char === '"') {
      end = match(string, text, at);
      kind = end > at ? "string" : "bad";
      if (end === at) end = match(openString, text, at);
    } else if (match(space, text, at) > at) {
      kind = "space";
      end = match(space, text, at);
    } else {
      const whole = match(other, text, at);
      const known =
        match(number, text, at) === whole ? "number" : match(word, text, at) === whole ? "word" : "bad";
      kind = known;
      end = whole;
    }
    const token = { kind, start: at, end, depth };
    tokens.push(token);
    if (kind !== "space") last = token;
    if (char === "{" || char === "[") depth++;
    at = end;
  }
  return tokens;
}

export interface TextProblem {
  message: string;
  /** The offset in the text, and the length. */
  start: number;
  end: number;
  /** Counted from one. */
  line: number;
  column: number;
}

/** The deepest nesting that the endpoint accepts. */
const deepest = 32;

class Refused extends Error {
  readonly token: Token | undefined;
  constructor(message: string, token: Token | undefined) {
    super(message);
    this.token = token;
  }
}

/** The first reason why the endpoint would reject the text as JSON, or undefined. */
export function findProblem(text: string): TextProblem | undefined {
  try {
    checkRecord(text);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof Refused)) throw cause;
    const start = cause.token?.start ?? text.trimEnd().length;
    const before = text.slice(0, start);
    const line = before.split("\n").length;
    return {
      message: cause.message,
      start,
      end: cause.token?.end ?? start,
      line,
      column: start - before.lastIndexOf("\n"),
    };
  }
}

function checkRecord(text: string): void {
  const reader = new Reader(text);
  if (reader.ended) reader.refuse("There is nothing here: a record is an object in braces.");
  if (!reader.is("{")) reader.refuse("A record is one object: it starts with {.");
  reader.value();
  if (!reader.ended) reader.refuse("The record ends before this: one object and nothing after it.");
}

/** Parses as strictly as the endpoint does, and throws at the first error. */
class Reader {
  readonly #text: string;
  readonly #tokens: Token[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text).filter((token) => token.kind !== "space");
  }

  get ended(): boolean {
    return this.#at >= this.#tokens.length;
  }

  is(char: string): boolean {
    return this.#said(this.#tokens[this.#at]) === char;
  }

  refuse(message: string): never {
    throw new Refused(message, this.#tokens[this.#at]);
  }

  value(): void {
    const token = this.#tokens[this.#at] ?? this.refuse("A value is missing at the end.");
    if (token.kind === "bad") this.#refuseBad(this.#said(token));
    else if (this.is("{")) this.#list("}", (seen) => this.#member(seen));
    else if (this.is("[")) this.#list("]", () => this.value());
    else if (token.kind === "punctuation") this.refuse("A value is missing before this.");
    else {
      if (token.kind === "string") this.#unquote(token);
      this.#at++;
    }
  }

  #said(token: Token | undefined): string {
    return token ? this.#text.slice(token.start, token.end) : "";
  }

  /** Parses the items between brackets, with commas between them. */
  #list(close: string, one: (seen: Set<string>) => void): void {
    if ((this.#tokens[this.#at]?.depth ?? 0) >= deepest) this.refuse(`Nested deeper than ${deepest} levels.`);
    const seen = new Set<string>();
    this.#at++;
    while (!this.is(close)) {
      one(seen);
      if (this.is(",")) {
        this.#at++;
        if (this.is(close)) this.refuse(`A comma may not stand before ${close}.`);
      } else if (this.ended) this.refuse(`A ${close} is missing at the end.`);
      else if (!this.is(close)) this.refuse(`A comma or ${close} is missing before this.`);
    }
    this.#at++;
  }

  #member(seen: Set<string>): void {
    const name = this.#tokens[this.#at] ?? this.refuse("A } is missing at the end.");
    if (name.kind === "string") {
      this.#at++;
      this.refuse("A colon is missing between name and value.");
    }
    if (name.kind !== "name")
      this.refuse(this.#said(name).startsWith('"') ? unclosed : "A name in quotation marks is missing here.");
    const plain = this.#unquote(name);
    if (seen.has(plain)) this.refuse(`“${plain}” is there twice; keep one.`);
    seen.add(plain);
    this.#at += 2;
    this.value();
  }

  #unquote(token: Token): string {
    try {
      return JSON.parse(this.#said(token)) as string;
    } catch {
      throw new Refused(
        "This text has a character that must be escaped, or an escape that JSON does not have.",
        token,
      );
    }
  }

  #refuseBad(text: string): never {
    if (text.startsWith('"')) this.refuse(unclosed);
    if (text.startsWith("'")) this.refuse("Text stands between \" marks, not '.");
    if (/^[-+.]?\d/.test(text)) this.refuse(`${text} is not a valid JSON number.`);
    this.refuse(`${text} is not a value: put text in quotation marks, or use a number, true, false or null.`);
  }
}

const unclosed = "The closing quotation mark is missing.";

/** Indents JSON and keeps every literal as written; returns other text unchanged. */
export function layOut(text: string): string {
  if (!isJson(text)) return text;
  const tokens = tokenize(text).filter((token) => token.kind !== "space");
  let out = "";
  let depth = 0;
  const newLine = () => `\n${"  ".repeat(depth)}`;
  for (const [index, token] of tokens.entries()) {
    const said = text.slice(token.start, token.end);
    const next = tokens[index + 1];
    const closes = next ? /^[}\]]/.test(text.slice(next.start, next.end)) : false;
    if (said === "{" || said === "[") {
      out += said;
      if (!closes) {
        depth++;
        out += newLine();
      }
    } else if (said === "}" || said === "]") {
      const before = tokens[index - 1];
      const empty = before && /^[{[]/.test(text.slice(before.start, before.end));
      if (!empty) {
        depth--;
        out += newLine();
      }
      out += said;
    } else if (said === ",") out += said + newLine();
    else if (said === ":") out += ": ";
    else out += said;
  }
  return out;
}

/** Puts JSON on one line and keeps every literal as written; returns other text unchanged. */
export function onOneLine(text: string): string {
  if (!isJson(text)) return text;
  return tokenize(text)
    .filter((token) => token.kind !== "space")
    .map((token) => text.slice(token.start, token.end))
    .join("");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export interface Member {
  name: string;
  /** From the name's quotation mark to the end of the value. */
  start: number;
  end: number;
  /** The value as written; empty if there is none. */
  value: string;
}

/**
 * The record's own fields, without those of nested objects, which may have the same names. Works
 * on broken JSON as far as possible.
 */
export function members(text: string): Member[] {
  const tokens = tokenize(text).filter((token) => token.kind !== "space");
  const found: Member[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "name" || token.depth !== 1) continue;
    let stop = index + 2;
    // A value ends at the comma or bracket of its own level, or before the next name in broken JSON.
    for (let next = tokens[stop]; next; next = tokens[++stop]) {
      if (next.depth === 1 && (next.kind === "name" || text[next.start] === ",")) break;
      if (next.depth === 0) break;
    }
    const first = tokens[index + 2];
    const last = tokens[stop - 1];
    const end = last && stop > index + 2 ? last.end : (tokens[index + 1]?.end ?? token.end);
    found.push({
      name: plainName(text.slice(token.start, token.end)),
      start: token.start,
      end,
      value: first && stop > index + 2 ? text.slice(first.start, end) : "",
    });
  }
  return found;
}

function plainName(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

/** Tokens line by line, for showing them; the line breaks themselves are left out. */
export function tokenLines(text: string): Token[][] {
  const lines: Token[][] = [[]];
  for (const token of tokenize(text)) {
    if (token.kind !== "space") {
      lines.at(-1)?.push(token);
      continue;
    }
    let from = token.start;
    for (let at = text.indexOf("\n", from); at !== -1 && at < token.end; at = text.indexOf("\n", from)) {
      if (at > from) lines.at(-1)?.push({ ...token, start: from, end: at });
      lines.push([]);
      from = at + 1;
    }
    if (from < token.end) lines.at(-1)?.push({ ...token, start: from });
  }
  return lines;
}
