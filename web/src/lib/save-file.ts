/** Lets the browser download a file. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // No event tells when the browser has read the file, and Safari reads it late.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A file name made from a title, valid on every system. */
export function fileName(title: string, extension: string): string {
  const plain = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return `${plain || "chart"}.${extension}`;
}
