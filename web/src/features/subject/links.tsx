import { Link } from "@tanstack/react-router";
import { usePlace } from "@/lib/session";

// Names that lead to the pages of what they name.

const plain = "rounded-sm text-accent-ink hover:underline";

interface Named {
  /** Absent: it is known by its name alone. */
  id: string | undefined;
  name: string;
  className?: string;
}

export function SupplierLink({ id, name, className = plain }: Named) {
  const { workspace } = usePlace();
  if (!id) return name;
  return (
    <Link
      to="/w/$workspace/suppliers/$supplier"
      params={{ workspace: workspace.id, supplier: id }}
      className={className}
    >
      {name}
    </Link>
  );
}

export function CustomerLink({ id, name, className = plain }: Named) {
  const { workspace } = usePlace();
  if (!id) return name;
  return (
    <Link
      to="/w/$workspace/customers/$customer"
      params={{ workspace: workspace.id, customer: id }}
      className={className}
    >
      {name}
    </Link>
  );
}

export function ArticleLink({ id, name, className = plain }: Named) {
  const { workspace } = usePlace();
  if (!id) return name;
  return (
    <Link
      to="/w/$workspace/products/$record"
      params={{ workspace: workspace.id, record: id }}
      className={className}
    >
      {name}
    </Link>
  );
}

export function OrderLink({ order, line }: { order: string; line?: string }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/purchase-orders/$order"
      params={{ workspace: workspace.id, order }}
      search={line ? { line } : {}}
      className="whitespace-nowrap rounded-sm text-accent-ink underline decoration-edge underline-offset-3 hover:decoration-current"
    >
      {order}
    </Link>
  );
}

/** Where an order from a supplier begins. */
export function newOrderFrom(workspace: string, supplier: string) {
  return {
    to: "/w/$workspace/purchase-orders/new",
    params: { workspace },
    search: { supplier },
  } as const;
}
