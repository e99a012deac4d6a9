import { useQuery } from "@tanstack/react-query";
import { getRowOptions } from "@/api/@tanstack/react-query.gen";
import type { Row, Table } from "@/api/types.gen";
import { ArticleLink, CustomerLink, SupplierLink } from "@/features/subject/links";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { RecordFields } from "./record-fields";
import { RecordHistory } from "./record-history";

/** Tables whose records have pages. */
const pages: Record<string, { noun: string; Link: typeof ArticleLink }> = {
  products: { noun: "article", Link: ArticleLink },
  suppliers: { noun: "supplier", Link: SupplierLink },
  customers: { noun: "customer", Link: CustomerLink },
};

interface RecordDrawerProps {
  table: Table;
  record: string;
  /** The parameters of a computed view. */
  given: { as_of?: string; product?: string };
  onClose: () => void;
}

/** One record beside its table: all fields, and the history, which a computed row does not have. */
export function RecordDrawer({ table, record, given, onClose }: RecordDrawerProps) {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id, table: table.slug, record };
  const { data, error, refetch } = useQuery(getRowOptions({ path, query: given }));
  const title = data && nameOf(table, data);
  const page = pages[table.slug];
  return (
    <Dialog
      title={<span className="break-words">{title ?? "Record"}</span>}
      description={table.title}
      open
      onOpenChange={(open) => !open && onClose()}
      placement="right"
      size="md"
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={10} label="Loading the record" />}
      {data && page && (
        <page.Link
          id={record}
          name={`Open the ${page.noun}'s page`}
          className={cx(buttonClass(), "mb-3 self-start")}
        />
      )}
      {data && <RecordFields table={table} row={data} />}
      {data && !table.computed && <RecordHistory table={table} row={data} />}
    </Dialog>
  );
}

/** A record's name: its first value in the order of the table's default columns. */
function nameOf({ default_view: view, identity }: Table, { values }: Row): string {
  const said = [...view.select_fields.slice(0, view.frozen), ...identity].find((name) => values[name]);
  return said ? String(values[said]) : "Record";
}
