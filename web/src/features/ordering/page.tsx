import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { newLinesOf } from "@/features/purchasing/model";
import { useOpenWithDraft } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Grid } from "./grid";
import { SupplierCard } from "./head";
import { supplierQuery } from "./queries";
import { type NewOrderSearch, readNewOrderSearch } from "./search";
import { SupplierStep } from "./supplier-step";

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
  if (!search.supplier) return <Choose />;
  return <FromSupplier key={search.supplier} supplier={search.supplier} search={search} look={look} />;
}

export function Above() {
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

interface FromSupplierProps {
  supplier: string;
  search: NewOrderSearch;
  look: (next: NewOrderSearch) => void;
}

function FromSupplier({ supplier: id, search, look }: FromSupplierProps) {
  const { workspace } = usePlace();
  const { data: supplier, error, refetch } = useQuery(supplierQuery(workspace.id, id));
  return (
    <Page title="New order" description={supplier?.name} above={<Above />} wide>
      {error && !supplier && <ErrorNote error={error} retry={refetch} />}
      {!supplier && !error && <SkeletonText lines={6} label="Loading the supplier" />}
      {supplier && (
        <>
          <SupplierCard supplier={supplier} order={search.order} />
          <Grid supplier={supplier} search={search} look={look} />
        </>
      )}
    </Page>
  );
}
