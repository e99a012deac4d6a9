import { type CsvCell, toCsv } from "./csv";
import { fileName, saveFile } from "./save-file";

export interface FileColumn<T> {
  /** The header. */
  name: string;
  value: (row: T) => CsvCell;
}

/** Saves rows as a CSV file named after the list. */
export function saveRows<T>(title: string, columns: readonly FileColumn<T>[], rows: readonly T[]): void {
  const lines = rows.map((row) => columns.map(({ value }) => value(row)));
  const text = toCsv([columns.map(({ name }) => name), ...lines]);
  saveFile(new Blob([text], { type: "text/csv;charset=utf-8" }), fileName(title, "csv"));
}
