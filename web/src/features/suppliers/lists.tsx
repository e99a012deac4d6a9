import { Link } from "@tanstack/react-router";
import type { SupplierArticle, SupplierOrder } from "@/api/types.gen";
import { Amount, Totals } from "@/features/purchasing/parts";
import { ArticleLink, OrderLink } from "@/features/subject/links";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { livingOf } from "@/messages/suppliers";
import { type Column, DataList } from "@/ui/data-list";
import { Num } from "@/ui/num";
import { Time } from "@/ui/time";
import { useArticles, useOrders } from "./queries";

const idOf = ({ id }: { id: string }) => id;
const nameOf = ({ name, variant_name }: SupplierArticle) => [name, variant_name].filter(Boolean).join(", ");
const nothing = (text: string) => <p className="px-4 py-6 text-muted">{text}</p>;

const articleColumns: Column<SupplierArticle>[] = [
  {
    id: "name",
    head: "Article",
    cell: (row) => (
      <>
        <ArticleLink id={row.id} name={nameOf(row)} />
        {row.sku && <span className="block text-muted text-xs">{row.sku}</span>}
      </>
    ),
  },
  {
    id: "supplier_sku",
    head: "Supplier's SKU",
    className: "max-lg:hidden",
    cell: ({ supplier_sku }) => supplier_sku ?? <Num value={undefined} />,
  },
  { id: "available", head: "Available", num: true, cell: ({ available }) => <Num value={available} /> },
  { id: "incoming", head: "Incoming", num: true, cell: ({ incoming }) => <Num value={incoming} /> },
  {
    id: "cover",
    head: "Days of cover",
    num: true,
    cell: ({ days_of_cover: days }) => <Num value={days === undefined ? undefined : Math.floor(days)} />,
  },
  {
    id: "price",
    head: "Price",
    num: true,
    cell: ({ price }) => <Amount amount={price?.amount} currency={price?.currency} />,
  },
  {
    id: "suggested",
    head: "To order",
    num: true,
    cell: ({ suggested }) =>
      suggested > 0 ? (
        <Num value={suggested} className="font-semibold text-ink" />
      ) : (
        <Num value={undefined} />
      ),
  },
];

/** The articles that the supplier delivers. */
export function Articles({ supplier }: { supplier: string }) {
  const { workspace } = usePlace();
  return (
    <DataList
      title="Articles"
      caption="Articles of this supplier"
      noun="article"
      list={useArticles(supplier)}
      idOf={idOf}
      nameOf={nameOf}
      columns={articleColumns}
      actions={
        <Link
          to="/w/$workspace/tables/$slug"
          params={{ workspace: workspace.id, slug: "products" }}
          search={{ filters: { supplier_id: { eq: supplier } } }}
          className="rounded-sm text-accent-ink hover:underline"
        >
          All in Products
        </Link>
      }
      card={(row) => (
        <div className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
          <span className="w-full">
            <ArticleLink id={row.id} name={nameOf(row)} />
          </span>
          <span className="text-muted">
            <Num value={row.available} /> available, <Num value={row.incoming} /> incoming
          </span>
          {row.suggested > 0 && (
            <span className="font-medium text-ink">
              order <Num value={row.suggested} />
            </span>
          )}
        </div>
      )}
      empty={nothing("No article names this supplier.")}
    />
  );
}

function Lines({ order: { live, lines } }: { order: SupplierOrder }) {
  const { locale } = useLocale();
  return <>{livingOf({ live, lines }, locale)}</>;
}

const orderColumns: Column<SupplierOrder>[] = [
  { id: "order", head: "Order", cell: ({ order_no }) => <OrderLink order={order_no} /> },
  { id: "at", head: "Ordered", cell: ({ at }) => <Time value={at} /> },
  { id: "lines", head: "Not cancelled", className: "max-sm:hidden", cell: (row) => <Lines order={row} /> },
  {
    id: "total",
    head: "Value",
    num: true,
    cell: ({ total, left_out }) => <Totals totals={total} leftOut={left_out} />,
  },
  {
    id: "arrived",
    head: "Came",
    num: true,
    className: "max-sm:hidden",
    cell: ({ arrived }) => <Totals totals={arrived} />,
  },
];

/** Orders of which nothing is open any more. */
export function PastOrders({ supplier }: { supplier: string }) {
  return (
    <DataList
      title="Past orders"
      caption="Past orders from this supplier"
      noun="order"
      list={useOrders(supplier)}
      idOf={idOf}
      nameOf={({ order_no }) => order_no}
      columns={orderColumns}
      empty={nothing("No order was completed yet.")}
    />
  );
}
