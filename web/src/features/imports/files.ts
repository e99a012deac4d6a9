import { formatBytes } from "@/lib/format";

/** The service's limit, checked here too so that larger files are not uploaded in vain. */
export const largestFile = 32 * 1024 * 1024;

/** For the browser's file dialog. */
export const acceptedFiles = ".csv,.tsv,.txt,.ndjson,.jsonl,.json,.xlsx,.xlsm,.gz";

const readable = new Set(acceptedFiles.replaceAll(".", "").split(","));

/** Why a file cannot be imported, by its name and size alone. */
export function refuse(file: File, locale: string): string | undefined {
  if (file.size === 0) return `${file.name} is empty.`;
  if (file.size > largestFile)
    return `${file.name} has a size of ${formatBytes(file.size, locale)}; files of up to ${formatBytes(largestFile, locale)} can be imported here. Split it, compress it with gzip, or push it from the command line with “quayside push”.`;
  const extension = /\.([a-z0-9]+)$/i.exec(file.name.replace(/\.gz$/i, ""))?.[1]?.toLowerCase();
  if (extension === "xls") return `${file.name} is an old Excel workbook. Save it as .xlsx or as CSV.`;
  if (extension && !readable.has(extension))
    return `${file.name} cannot be imported. CSV, NDJSON, JSON and Excel files (.xlsx) can be imported.`;
  return undefined;
}

/** The dropped file, or why it cannot be used. */
export function readDrop(transfer: DataTransfer): File | string {
  const item = [...transfer.items].find((one) => one.kind === "file");
  if (item?.webkitGetAsEntry()?.isDirectory) return "That is a folder. Drop one file.";
  if (transfer.files.length > 1) return "Drop one file at a time.";
  return transfer.files[0] ?? "That is not a file.";
}

/** Whether a file is dragged, and not a text or a picture of the page. */
export function dragsFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes("Files") ?? false;
}

// An address cannot hold a file, so a file dropped on a card waits here for the upload page.
let waiting: { table: string; dropped: File | string } | undefined;

export function handOver(table: string, dropped: File | string): void {
  waiting = { table, dropped };
}

/** Takes the file that was just dropped for a table; later calls return nothing. */
export function takeOver(table: string): File | string | undefined {
  const found = waiting?.table === table ? waiting.dropped : undefined;
  waiting = undefined;
  return found;
}
