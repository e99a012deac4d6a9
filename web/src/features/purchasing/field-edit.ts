import { useMutation } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { editLineMutation } from "@/api/@tanstack/react-query.gen";
import { getLineTimeline, getPurchaseOrderLine } from "@/api/sdk.gen";
import type { Line, Moment } from "@/api/types.gen";
import { compare, isDecimal } from "@/lib/decimal";
import { readDecimal, typedDecimals, writeDecimal } from "@/lib/decimal-text";
import { useEdit } from "@/lib/edit";
import type { Theirs } from "@/lib/edit-state";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { toast } from "@/ui/toast";
import { differences, fieldName, fieldText, statusWord } from "./line-words";
import { useReloadPurchasing } from "./queries";

export type InlineField =
  | "quantity_ordered"
  | "price_per_unit"
  | "currency"
  | "expected_arrival_date"
  | "note"
  | "supplier_id";

/** The draft of one field. A supplier needs an id, which it gets only when picked from the list. */
export interface Typed {
  text: string;
  id?: string;
}

/** Where a line's fields are shown: the same field may be in the table and in the drawer. */
export const InlinePlace = createContext("table");

/** Names the edit of a field. */
export function useInlineThing(line: Line, field: InlineField): string {
  return `line/${line.id}/${field}/${useContext(InlinePlace)}`;
}

const decimals = new Set<InlineField>(["quantity_ordered", "price_per_unit"]);

/** The value of a field to send. */
export function wantedValue(field: InlineField, { text, id }: Typed, locale: string): string | undefined {
  if (field === "supplier_id") return id;
  if (decimals.has(field)) return typedDecimals({ [field]: text }, locale)[field];
  return field === "currency" ? text.toUpperCase() : text;
}

export function shownValue(line: Line, field: InlineField, locale: string): string {
  const value = (field === "supplier_id" ? line.supplier_name : line[field]) ?? "";
  return decimals.has(field) ? writeDecimal(value, locale) : value;
}

/** Whether saving a draft would change the line: 12.50 is no change of 12.5. */
export function isChange(field: InlineField, draft: Typed, seen: Line, locale: string): boolean {
  const before = seen[field] ?? "";
  if (!decimals.has(field)) return wantedValue(field, draft, locale) !== before;
  // An ambiguous number counts as a change; saving it shows the question.
  const read = readDecimal(draft.text, locale);
  if (!("value" in read) || !isDecimal(read.value) || !isDecimal(before))
    return !("value" in read && read.value === before);
  return compare(read.value, before) !== 0;
}

/** Edits one field of a line. `onDone` is called when it is saved. */
export function useFieldEdit(line: Line, field: InlineField, onDone: () => void) {
  const { workspace } = usePlace();
  const { mutateAsync } = useMutation(editLineMutation());
  const reload = useReloadPurchasing();
  const path = { workspace: workspace.id, line: line.id };
  const thing = useInlineThing(line, field);
  const edit = useEdit<Typed, Line>(thing, {
    seen: line,
    toDraft: (seen) => ({ text: shownValue(seen, field, workspace.locale) }),
    save: async (draft, seen) => {
      const wanted = wantedValue(field, draft, workspace.locale);
      if (wanted === undefined) throw notPicked();
      const after = await mutateAsync({
        path,
        headers: { "If-Match": `"${seen.version}"` },
        body: { [field]: wanted },
      });
      tellMove(seen, after);
      await reload();
      return after;
    },
    look: async (_, refusal) => {
      const found = await lookAtLine(path, field, refusal);
      void reload();
      return found;
    },
    onSaved: onDone,
  });
  // Reads the session and not the rendered state, which the previous event may not have updated yet.
  const changed = () => {
    const { draft, seen } = edit.session.state;
    return edit.session.dirty && isChange(field, draft, seen, workspace.locale);
  };
  return { ...edit, changed };
}

function notPicked(): ApiError {
  return new ApiError({ code: "required", detail: "Pick a supplier from the list." }, 422);
}

/** Reports that a change has moved a line to another status. */
function tellMove(before: Line, after: Line) {
  if (after.status === before.status) return;
  toast.success(`${before.sku} is ${statusWord(after.status)} now`, {
    description:
      after.status === "draft"
        ? "The amount changed, so it must be submitted again."
        : "It changed by more than the rules allow, so it needs approval again.",
  });
}

/** The current line, and who changed the field last, or else the line. */
async function lookAtLine(
  path: { workspace: string; line: string },
  field: InlineField,
  refusal: ApiError,
): Promise<Theirs<Line>> {
  const [line, told] = await Promise.all([
    getPurchaseOrderLine({ path, throwOnError: true }),
    getLineTimeline({ path, throwOnError: true }),
  ]);
  const { moments } = told.data;
  const moment = moments.find((one) => touches(one, field)) ?? moments[0];
  if (!line.data) throw refusal;
  return { seen: line.data, actor: moment, at: moment?.at };
}

function touches({ data }: Moment, field: string): boolean {
  const after = (data as { after?: unknown } | null)?.after;
  return typeof after === "object" && after !== null && field in after;
}

/** The content of a conflict about one field: the field, and other changes to the line. */
export function contestedLine(seen: Line, now: Line, field: InlineField, mine: Typed, locale: string) {
  const named = field === "supplier_id" ? "supplier_name" : field;
  const shown = (value: string | undefined) => fieldText(named, value, locale) || "empty";
  // A number is shown as typed, because it may be ambiguous.
  const own = decimals.has(field) ? mine.text || "empty" : shown(mine.text);
  return {
    fields: [{ name: fieldName(field), before: shown(seen[named]), theirs: shown(now[named]), mine: own }],
    also: differences(seen, now, locale)
      .filter((one) => one.field !== named)
      .map((one) => `${fieldName(one.field)} ${one.before} → ${one.after}`),
  };
}
