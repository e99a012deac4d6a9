import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { useState } from "react";
import { newLinesOf } from "@/features/purchasing/model";
import { wholeOrderQuery } from "@/features/purchasing/queries";
import { useOpenWithDraft } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { Button, buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Grid } from "./grid";
import { SupplierCard } from "./head";
import { keptOrder } from "./order-draft";
import { supplierQuery } from "./queries";
import { type NewOrderSearch, readNewOrderSearch } from "./search";
import { SupplierStep } from "./supplier-step";
import { useGridKey } from "./use-order-draft";

const NewLines = lazyDialog(async () => (await import("@/features/purchasing/new-lines")).NewLines);

/** A new order: first its supplier, then a grid of what can be ordered from it. */
export function NewOrderPage() {
  const { workspace } = usePlace();
  const search = readNewOrderSearch({ ...useSearch({ from: "/inside/w/$workspace/purchase-orders/new" }) });
  const go = useNavigate();
  const look = (next: NewOrderSearch) =>
    void go({
      to: "/w/$workspace/purchase-orders/new",
      params: { workspace: workspace.id },
      search: readNewOrderSearch({ ...next }),
      replace: true,
      resetScroll: false,
    });
  const { supplier, order } = search;
  if (supplier) return <FromSupplier key={supplier} supplier={supplier} search={search} look={look} />;
  return order ? <GoOn key={order} order={order} search={search} look={look} /> : <Choose />;
}

function Above() {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/purchase-orders"
      params={{ workspace: workspace.id }}
      className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
    >
      <ChevronLeft className="size-4" aria-hidden />
      Purchase orders
    </Link>
  );
}

function Choose() {
  const [byHand, setByHand] = useOpenWithDraft(newLinesOf());
  return (
    <Page
      title="New order"
      description="From which supplier? Those with articles to order now come first."
      above={<Above />}
      actions={<Button onClick={() => setByHand(true)}>Enter lines by hand</Button>}
    >
      <SupplierStep />
      {byHand && <NewLines onClosed={() => setByHand(false)} />}
    </Page>
  );
}

interface Addressed {
  search: NewOrderSearch;
  look: (next: NewOrderSearch) => void;
}

/** A draft that is named without its supplier. */
function GoOn({ order, ...rest }: Addressed & { order: string }) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery(wholeOrderQuery(workspace.id, order));
  const supplier = data?.items.find((line) => line.status !== "cancelled" && line.supplier_id)?.supplier_id;
  if (supplier) return <FromSupplier supplier={supplier} {...rest} />;
  return (
    <Page title={order} above={<Above />}>
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={6} label="Loading the order" />}
      {data && <p>No line of this order has a supplier, so there are no articles to choose from.</p>}
    </Page>
  );
}

function FromSupplier({ supplier: id, search, look }: Addressed & { supplier: string }) {
  const { workspace } = usePlace();
  const key = useGridKey(id);
  // The order that the page was opened with: one that it makes itself is not read again.
  const [order] = useState(() => search.order ?? keptOrder(key));
  const supplier = useQuery(supplierQuery(workspace.id, id));
  const lines = useQuery({ ...wholeOrderQuery(workspace.id, order ?? ""), enabled: order !== undefined });
  const error = supplier.error ?? lines.error;
  const known = order === undefined ? [] : lines.data?.items;
  return (
    <Page
      title={search.order ?? "New order"}
      description={supplier.data?.name}
      above={<Above />}
      wide
      actions={
        <Link
          to="/w/$workspace/purchase-orders/new"
          params={{ workspace: workspace.id }}
          className={buttonClass()}
        >
          Another supplier
        </Link>
      }
    >
      {error && <ErrorNote error={error} retry={() => Promise.all([supplier.refetch(), lines.refetch()])} />}
      {!error && (!supplier.data || !known) && <SkeletonText lines={6} label="Loading the supplier" />}
      {supplier.data && known && (
        <>
          <SupplierCard supplier={supplier.data} order={search.order} />
          <Grid supplier={supplier.data} order={order} lines={known} search={search} look={look} />
        </>
      )}
    </Page>
  );
}
