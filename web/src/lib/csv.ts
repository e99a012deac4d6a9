export type CsvCell = string | number | null;

const plainNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Keeps a spreadsheet from running text as a formula, by the rules of the service's own exports: an
 * apostrophe goes before a formula character at the cell's start, and after every separator that a
 * spreadsheet may split on, inside quotes too. Numbers stay as they are.
 */
function defuse(text: string): string {
  if (plainNumber.test(text)) return text;
  return text.replace(/^(?=[=+\-@;\t\r\n])/, "'").replace(/([;\t\r\n])(?=[" ]*[=+\-@])/g, "$1'");
}

function cell(value: CsvCell): string {
  const text = defuse(value === null ? "" : String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** CSV with RFC 4180 line ends. A lone empty cell is quoted, because many readers skip empty lines. */
export function toCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",") || '""'}\r\n`).join("");
}
