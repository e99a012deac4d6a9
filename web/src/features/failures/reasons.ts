const labels: Record<string, string> = {
  required: "Missing value",
  type: "Wrong type",
  choice: "Value not allowed",
  range: "Out of range",
  unknown_reference: "Unknown reference",
  duplicate_key: "Duplicate key",
  too_long: "Too long",
  currency: "Unknown currency",
  ambiguous_time: "Ambiguous time",
  nul: "Forbidden character",
  constraint: "Breaks a rule",
  recommendation_locked: "Already ordered",
  fault: "Error in Quayside",
};

/** The label of a reason; an unknown code is shown in readable form. */
export function reasonLabel(code: string): string {
  const known = labels[code];
  if (known) return known;
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Removes the field's name from the start of a message that is shown beside that name. */
export function messageBeside(field: string | undefined, message: string): string {
  return field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
}

/** The field of an error's pointer; empty for the whole record. */
export function pointedField(pointer: string): string {
  return pointer.replace(/^#\/?/, "");
}
