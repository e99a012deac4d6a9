import * as z from "zod/mini";
import type { ColumnRules, DefinedColumn } from "@/api/types.gen";
import { type Kind, kinds } from "./rules";

export const schema = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.regex(/^[a-z][a-z0-9_]{0,62}$/, "Use letters from a to z, digits and _, such as decided_on."),
    ),
  kind: z.enum(kinds.map(({ value }) => value) as [Kind, ...Kind[]]),
  references: z.string(),
  description: z.string().check(z.trim(), z.maxLength(2000, "At most 2,000 characters.")),
  required: z.boolean(),
  people_only: z.boolean(),
  choices: z.string(),
  minimum: z.string().check(z.trim()),
  maximum: z.string().check(z.trim()),
  default: z.string(),
  example: z.string(),
});

export type ColumnDraft = z.infer<typeof schema>;

export const emptyColumn: ColumnDraft = {
  name: "",
  kind: "text",
  references: "",
  description: "",
  required: false,
  people_only: false,
  choices: "",
  minimum: "",
  maximum: "",
  default: "",
  example: "",
};

/** A column's name from words: "Decided on" becomes decided_on. */
export function columnName(words: string): string {
  return words
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .replace(/ß/g, "ss")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[0-9_]+|_+$/g, "")
    .slice(0, 63);
}

export function toDraft(column: DefinedColumn): ColumnDraft {
  return {
    name: column.name,
    kind: column.references ? "reference" : column.type,
    references: column.references ?? "",
    description: column.description ?? "",
    required: column.required ?? false,
    people_only: column.people_only ?? false,
    choices: (column.choices ?? []).join("\n"),
    minimum: column.minimum ?? "",
    maximum: column.maximum ?? "",
    default: column.default ?? "",
    example: column.example ?? "",
  };
}

/** What the service is sent. A rule that does not fit the type, and so is not shown, is left out. */
export function toRules(draft: ColumnDraft, before?: DefinedColumn): ColumnRules {
  const choices = draft.choices
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const reference = draft.kind === "reference";
  return {
    type: draft.kind === "reference" ? "text" : draft.kind,
    ...(draft.description && { description: draft.description }),
    ...(draft.required && { required: true }),
    ...(draft.people_only && { people_only: true }),
    ...(reference && { references: draft.references }),
    ...(draft.kind === "text" && choices.length > 0 && { choices }),
    ...(draft.kind === "number" && draft.minimum && { minimum: draft.minimum }),
    ...(draft.kind === "number" && draft.maximum && { maximum: draft.maximum }),
    ...(!reference && !draft.required && draft.default && { default: draft.default }),
    ...(draft.example && { example: draft.example }),
    // The form has no field for these.
    ...(before?.max_length &&
      draft.kind === "text" &&
      choices.length === 0 && { max_length: before.max_length }),
    ...(before?.format && draft.kind === "text" && choices.length === 0 && { format: before.format }),
  };
}
