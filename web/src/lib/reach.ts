// Addresses that write to somebody, or call them. What they are made of was sent by others.

/** The address that opens a mail program. RFC 6068 wants CRLF between lines, and a plain @. */
export function mailto(to: string | readonly string[], subject?: string, text = ""): string {
  const each = [to].flat().map((one) => encodeURIComponent(one.trim()).replaceAll("%40", "@"));
  const address = `mailto:${each.join(",")}`;
  if (subject === undefined) return address;
  const body = encodeURIComponent(text.replaceAll(/\r?\n/g, "\r\n"));
  return `${address}?subject=${encodeURIComponent(subject)}&body=${body}`;
}

/** The address that dials a number. In "+49 (0) 30" the zero is not dialled. */
export function tel(phone: string): string {
  const dialled = phone.trim().startsWith("+") ? phone.replace("(0)", "") : phone;
  return `tel:${dialled.replaceAll(/[^\d+]/g, "")}`;
}
