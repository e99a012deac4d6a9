const labels: Record<string, string> = {
  required: "Missing value",
  type: "Wrong type",
  choice: "Not a choice",
  range: "Out of range",
  unknown_reference: "Unknown reference",
  duplicate_key: "Duplicate key",
  too_long: "Too long",
  currency: "Unknown currency",
  ambiguous_time: "Seconds or milliseconds",
  nul: "Forbidden character",
  constraint: "Breaks a rule",
  recommendation_locked: "Ordered already",
  fault: "Fault of Quayside",
};

/** The reason in words; one that is new to this screen stays readable. */
export function reasonLabel(code: string): string {
  const known = labels[code];
  if (known) return known;
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A message that stands beside its field's name needs not begin with it. */
export function messageBeside(field: string | undefined, message: string): string {
  return field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
}

/** The field that an error's pointer names; empty for the record as a whole. */
export function pointedField(pointer: string): string {
  return pointer.replace(/^#\/?/, "");
}
