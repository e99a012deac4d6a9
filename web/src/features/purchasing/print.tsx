import { useQuery } from "@tanstack/react-query";
import { ChevronDown, FileDown } from "lucide-react";
import { listPurchaseOrderSuppliersOptions } from "@/api/@tanstack/react-query.gen";
import type { OrderSupplier } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { lines } from "@/messages/purchasing";
import { Button, buttonClass } from "@/ui/button";
import { Menu, MenuItem } from "@/ui/menu";

/** The part of an order that goes to one of its suppliers, as the API names it. */
export function partOf(supplier?: OrderSupplier) {
  if (!supplier) return {};
  const key = supplier.id ?? supplier.name;
  return key ? { supplier: key } : { without_supplier: true };
}

/** The suppliers of an order that are known. */
export function useSuppliersOf(order: string): OrderSupplier[] {
  const { workspace } = usePlace();
  const { data } = useQuery(listPurchaseOrderSuppliersOptions({ path: { workspace: workspace.id, order } }));
  return data?.items.filter(isKnown) ?? [];
}

/** The address of an order's PDF, with all lines or with those of one supplier. */
export function pdfAddress(workspace: string, order: string, supplier?: OrderSupplier): string {
  const address = `/api/app/workspaces/${workspace}/purchase-orders/${encodeURIComponent(order)}/pdf`;
  if (!supplier) return address;
  return `${address}?${new URLSearchParams(Object.entries(partOf(supplier)).map(([k, v]) => [k, String(v)]))}`;
}

/** Prints an order; with several suppliers, one supplier at a time. */
export function Print({ order }: { order: string }) {
  const { workspace } = usePlace();
  const { data } = useQuery(listPurchaseOrderSuppliersOptions({ path: { workspace: workspace.id, order } }));
  const suppliers = data?.items ?? [];
  if (suppliers.filter(isKnown).length <= 1)
    return (
      <a href={pdfAddress(workspace.id, order)} download className={buttonClass("ghost")}>
        <FileDown aria-hidden />
        PDF
      </a>
    );
  return (
    <Menu
      align="start"
      trigger={
        <Button variant="ghost" icon={<FileDown aria-hidden />} className="max-md:h-11">
          PDF
          <ChevronDown className="size-4" aria-hidden />
        </Button>
      }
    >
      {suppliers.map((supplier) => (
        <MenuItem
          key={supplier.id ?? supplier.name ?? ""}
          link={<a href={pdfAddress(workspace.id, order, supplier)} download />}
        >
          {supplier.name ?? supplier.id ?? "Without a supplier"}
          <span className="ml-2 text-muted">{lines({ count: supplier.lines }, workspace.locale)}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}

const isKnown = ({ id, name }: OrderSupplier) => Boolean(id ?? name);
