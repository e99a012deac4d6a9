import { useMutation } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { editLineMutation } from "@/api/@tanstack/react-query.gen";
import { getLineTimeline, getPurchaseOrderLine } from "@/api/sdk.gen";
import type { Line, Moment } from "@/api/types.gen";
import { typedDecimal } from "@/lib/decimal";
import { useEdit } from "@/lib/edit";
import type { Theirs } from "@/lib/edit-state";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { toast } from "@/ui/toast";
import { differences, fieldName, statusWord } from "./model";
import { useReloadPurchasing } from "./queries";

export type InlineField =
  | "quantity_ordered"
  | "price_per_unit"
  | "currency"
  | "expected_arrival_date"
  | "note"
  | "supplier_id";

/** What is typed into one field of a line; a supplier counts by its id, which only a pick gives. */
export interface Typed {
  text: string;
  id?: string;
}

/** Where the fields of a line stand: the same field may stand in the table and in the drawer. */
export const InlinePlace = createContext("table");

/** Names the edit of a field. */
export function useInlineThing(line: Line, field: InlineField): string {
  return `line/${line.id}/${field}/${useContext(InlinePlace)}`;
}

const decimals = new Set<InlineField>(["quantity_ordered", "price_per_unit"]);

/** The value of a field as it is sent. */
export function wantedValue(field: InlineField, { text, id }: Typed): string | undefined {
  if (field === "supplier_id") return id;
  if (decimals.has(field)) return typedDecimal(text);
  return field === "currency" ? text.toUpperCase() : text;
}

export function shownValue(line: Line, field: InlineField): string {
  return (field === "supplier_id" ? line.supplier_name : line[field]) ?? "";
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
    toDraft: (seen) => ({ text: shownValue(seen, field) }),
    save: async (draft, seen) => {
      const wanted = wantedValue(field, draft);
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
  // Asked of the session: an event that follows another at once must know what that one did.
  const changed = () => {
    const { draft, seen } = edit.session.state;
    return edit.session.dirty && wantedValue(field, draft) !== (seen[field] ?? "");
  };
  return { ...edit, changed };
}

function notPicked(): ApiError {
  return new ApiError({ code: "required", detail: "Pick a supplier from the list." }, 422);
}

/** A change may move a line to another status. */
function tellMove(before: Line, after: Line) {
  if (after.status === before.status) return;
  toast.success(`${before.sku} is ${statusWord(after.status)} now`, {
    description:
      after.status === "draft"
        ? "The amount changed, so it must be submitted again."
        : "It changed by more than the rules allow, so it needs approval again.",
  });
}

/** A line as it is now, and who made it so: whoever touched the field last, or the line. */
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

/** What to show of a conflict about one field: that field, and what else was changed. */
export function contestedLine(seen: Line, now: Line, field: InlineField, mine: Typed) {
  const shown = (line: Line) => shownValue(line, field) || "empty";
  const named = field === "supplier_id" ? "supplier_name" : field;
  return {
    fields: [{ name: fieldName(field), before: shown(seen), theirs: shown(now), mine: mine.text || "empty" }],
    also: differences(seen, now)
      .filter((one) => one.field !== named)
      .map((one) => `${fieldName(one.field)} ${one.before} → ${one.after}`),
  };
}
