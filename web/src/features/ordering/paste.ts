import type { OrderableArticle } from "@/api/types.gen";
import { compare } from "@/lib/decimal";
import { readDecimal } from "@/lib/decimal-text";

/** A row of a pasted sheet: an article's code, how many, and perhaps at what price. */
export interface PastedRow {
  code: string;
  quantity: string;
  price?: string;
}

/** A pasted row that was not taken, and why. */
export interface Left {
  row: string;
  why: string;
}

/** Reads cells copied from a spreadsheet. Undefined: it is no sheet, but a text for one cell. */
export function readSheet(text: string): PastedRow[] | undefined {
  const rows = text
    .replaceAll("\r", "")
    .split("\n")
    .filter((row) => row.trim() !== "");
  if (!rows.some((row) => row.includes("\t"))) return undefined;
  return rows.map((row) => {
    const [code = "", quantity = "", price = ""] = row.split("\t").map((cell) => cell.trim());
    return { code, quantity, ...(price && { price }) };
  });
}

/** The articles that a code names: by SKU, else by the supplier's SKU, whatever their case. */
function named(articles: readonly OrderableArticle[], code: string): OrderableArticle[] {
  const sought = code.toLowerCase();
  const own = articles.filter(({ sku }) => sku.toLowerCase() === sought);
  return own.length > 0 ? own : articles.filter(({ supplier_sku }) => supplier_sku?.toLowerCase() === sought);
}

interface Matched {
  taken: { article: OrderableArticle; row: PastedRow }[];
  left: Left[];
}

/** Finds the article of each pasted row. What does not match is listed, never dropped. */
export function matchSheet(
  rows: readonly PastedRow[],
  articles: readonly OrderableArticle[],
  locale: string,
): Matched {
  const taken = new Map<string, Matched["taken"][number]>();
  const left: Left[] = [];
  for (const row of rows) {
    const [article, another] = named(articles, row.code);
    const why =
      problem(row.quantity, row.price, locale) ??
      (article ? undefined : "no article of this supplier has this code");
    if (why) left.push({ row: shown(row), why });
    else if (another) left.push({ row: shown(row), why: "several articles have this code" });
    else if (article && taken.has(article.product_id))
      left.push({ row: shown(row), why: "the article is in the sheet twice; the first row was taken" });
    else if (article) taken.set(article.product_id, { article, row });
  }
  return { taken: [...taken.values()], left };
}

const shown = ({ code, quantity, price }: PastedRow) => [code, quantity, price].filter(Boolean).join(", ");

function problem(quantity: string, price: string | undefined, locale: string): string | undefined {
  const count = readDecimal(quantity, locale);
  if ("ask" in count) return count.ask;
  if (count.value === "" || compare(count.value, "0") <= 0) return "it has no quantity";
  const cost = readDecimal(price ?? "", locale);
  return "ask" in cost ? cost.ask : undefined;
}
