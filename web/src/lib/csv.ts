export type CsvCell = string | number | null;

const plainNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Keeps a spreadsheet from running text as a formula, by the rules of the service's own exports: an
 * apostrophe goes in front at the cell's start, and after everything that a spreadsheet may split on
 * by its language or settings, whatever quotes there are. A number is a number.
 */
function defuse(text: string): string {
  if (plainNumber.test(text)) return text;
  return text.replace(/^(?=[=+\-@;\t\r\n])/, "'").replace(/([;\t\r\n])(?=[" ]*[=+\-@])/g, "$1'");
}

function cell(value: CsvCell): string {
  const text = defuse(value === null ? "" : String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines that end as RFC 4180 has them. A lone empty cell is quoted: to many readers an empty line is none. */
export function toCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",") || '""'}\r\n`).join("");
}
