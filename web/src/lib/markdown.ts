import { Lexer, type Token, Tokenizer, type Tokens } from "marked";

// marked takes minutes for some texts of a few kilobytes. These limits are above anything that
// people write; text beyond a limit is shown as written.

/** Longer texts are shown as they are. */
export const maxMarkdownLength = 200_000;
const maxNested = 12;
/** In all tables together. */
const maxCells = 10_000;
/** Characters of one paragraph. */
const maxParagraphLength = 50_000;
/** Parsing a paragraph takes quadratic time in its stars and brackets; the limit is for all together. */
const maxWork = 2_000_000;

/** Limits tables, and nested quotes and lists, which marked reads again at every level. */
class BoundedTokenizer extends Tokenizer {
  private nested = 0;
  private cells = 0;

  private within<T>(read: () => T): T | undefined {
    if (this.nested >= maxNested) return undefined;
    this.nested++;
    try {
      return read();
    } finally {
      this.nested--;
    }
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.within(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.within(() => super.list(src));
  }

  override table(src: string): Tokens.Table | undefined {
    const found = this.rules.block.table.exec(src);
    if (!found) return undefined;
    // marked fills every row up to the width of the header.
    const columns = (found[1] ?? "").split("|").length;
    const rows = (found[3] ?? "").split("\n").length;
    if (this.cells + columns * rows > maxCells) return undefined;
    this.cells += columns * rows;
    return super.table(src);
  }
}

class BoundedLexer extends Lexer {
  private nested = 0;
  private work = 0;

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    const work = delimiters(src) ** 2;
    if (this.nested >= maxNested || src.length > maxParagraphLength || this.work + work > maxWork) {
      tokens.push({ type: "text", raw: src, text: src, escaped: false });
      return tokens;
    }
    this.work += work;
    this.nested++;
    try {
      return super.inlineTokens(src, tokens);
    } finally {
      this.nested--;
    }
  }
}

function delimiters(text: string): number {
  return text.match(/[*_~`[\]<]/g)?.length ?? 0;
}

/** Parses Markdown to tokens; never produces HTML. */
export function readMarkdown(text: string): Token[] {
  if (text.length > maxMarkdownLength) return [{ type: "code", raw: text, text }];
  return new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer() }).lex(text);
}

const schemes = ["http:", "https:", "mailto:"];

/** The address of a safe link; undefined for all others, such as javascript:. */
export function safeAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return schemes.includes(url.protocol) ? url.href : undefined;
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Decodes HTML entities. The result is shown as text, so none can become markup. */
export function plainText(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (all, ten, hex, name) => {
      if (name) return entities[String(name).toLowerCase()] ?? all;
      const code = ten ? Number(ten) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
