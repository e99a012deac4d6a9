import { useQuery } from "@tanstack/react-query";
import { getRowOptions } from "@/api/@tanstack/react-query.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
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
          {fieldName(field)}: <NameOf field={field} id={told.before?.[field]} /> →{" "}
          <NameOf field={field} id={told.after?.[field]} />
        </p>
      ))}
    </>
  );
}

/** The name of the supplier or the article that a field refers to. */
function NameOf({ field, id }: { field: string; id: unknown }) {
  const { workspace } = usePlace();
  const table = field === "supplier_id" ? "suppliers" : "products";
  const record = typeof id === "string" ? id : "";
  const { data, isPending } = useQuery({
    ...getRowOptions({ path: { workspace: workspace.id, table, record } }),
    enabled: record !== "",
    staleTime: 60_000,
  });
  if (!record) return "nothing";
  if (isPending) return "…";
  return typeof data?.values.name === "string" ? data.values.name : "a record that is gone";
}
