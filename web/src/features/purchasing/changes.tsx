import { useLocale } from "@/lib/locale";
import { fieldName, fieldText, type Told } from "./line-words";

// Left out: the entry's own text already says what these fields say.
const untold = new Set([
  "status",
  "approved_by",
  "approved_at",
  "ordered_at",
  "received_at",
  "recommendation_key",
]);

/** The fields of a line that were changed, before and after. */
export function Changes({ told }: { told: Told }) {
  const { locale } = useLocale();
  const said = (field: string, value: unknown) => fieldText(field, value, locale) || "nothing";
  const changed = Object.keys(told.after ?? {}).filter(
    (field) => !untold.has(field) && !field.endsWith("_id"),
  );
  const moved = ["supplier_id", "product_id"].filter((field) => field in (told.after ?? {}));
  return (
    <>
      {changed.sort().map((field) => (
        <p key={field} className="break-words text-muted text-xs">
          {fieldName(field)}: {said(field, told.before?.[field])} → {said(field, told.after?.[field])}
        </p>
      ))}
      {moved.map((field) => (
        <p key={field} className="text-muted text-xs">
          {fieldName(field)} changed
        </p>
      ))}
    </>
  );
}
