import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Order, OrderSupplierTerms } from "@/api/types.gen";
import { Amount, Day, Totals } from "@/features/purchasing/parts";
import { Contact } from "@/features/subject/contact";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { days, draftLines, openLines } from "@/messages/ordering";
import { Card } from "@/ui/card";
import { openOrdersQuery } from "./queries";

const learnt: Record<string, string> = {
  supplier_learnt: "from its deliveries",
  default: "the playbook’s",
};

interface HeadProps {
  supplier: OrderSupplierTerms;
  /** The order that is being made, which is not listed among the open ones. */
  order: string | undefined;
}

/** What one wants to know of a supplier while ordering. */
export function SupplierCard({ supplier, order }: HeadProps) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const currency = supplier.currency ?? workspace.base_currency;
  const {
    contact_name: contact,
    email,
    phone,
    min_order_value: minimum,
    free_shipping_value: free,
  } = supplier;
  return (
    <Card className="mb-4">
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2 lg:grid-cols-4">
        {(contact || email || phone) && (
          <Fact name="Contact">
            <span className="flex flex-wrap items-center gap-x-2">
              {contact}
              <Contact email={email} phone={phone} />
            </span>
          </Fact>
        )}
        <Fact name="Minimum order">
          {minimum ? <Amount amount={minimum} currency={currency} /> : "None known"}
        </Fact>
        {free && (
          <Fact name="Ships free from">
            <Amount amount={free} currency={currency} />
          </Fact>
        )}
        {supplier.payment_terms_days && (
          <Fact name="Payment">within {days({ count: Number(supplier.payment_terms_days) }, locale)}</Fact>
        )}
        <Fact name="Lead time">
          {supplier.lead_time_days === undefined
            ? "Not known"
            : days({ count: supplier.lead_time_days }, locale)}
          {learnt[supplier.lead_time_source ?? ""] && (
            <span className="text-muted">, {learnt[supplier.lead_time_source ?? ""]}</span>
          )}
        </Fact>
        {supplier.note && (
          <Fact name="Note" wide>
            {supplier.note}
          </Fact>
        )}
        <OpenOrders supplier={supplier.id} order={order} />
      </dl>
    </Card>
  );
}

function Fact({ name, wide, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? "sm:col-span-2" : undefined}>
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

const linkClass = "rounded-sm text-accent-ink hover:underline pointer-coarse:leading-8";

/** The supplier's other orders that are not done, with what is open in them. */
function OpenOrders({ supplier, order }: { supplier: string; order: string | undefined }) {
  const { workspace } = usePlace();
  const { data } = useQuery(openOrdersQuery(workspace.id, supplier));
  const others = (data?.items ?? []).filter(({ order_no }) => order_no !== order);
  if (others.length === 0) return null;
  return (
    <Fact name="Open orders" wide>
      <ul className="flex flex-col">
        {others.slice(0, 5).map((one) => (
          <li key={one.order_no} className="flex flex-wrap gap-x-2">
            <OpenOrder order={one} />
          </li>
        ))}
      </ul>
      {(others.length > 5 || data?.next_cursor) && <span className="text-muted">and more</span>}
    </Fact>
  );
}

function OpenOrder({ order }: { order: Order }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const of = (status: string) => order.by_status[status] ?? 0;
  const open = of("ordered") + of("partially_received");
  const drafted = of("draft") + of("pending_approval");
  const expected = order.totals.filter((total) => Number(total.expected) > 0);
  const params = { workspace: workspace.id, order: order.order_no };
  return (
    <>
      <Link to="/w/$workspace/purchase-orders/$order" params={params} className={linkClass}>
        {order.order_no}
      </Link>
      {open > 0 && (
        <span className="flex flex-wrap gap-x-2">
          {openLines({ count: open }, locale)}
          <Totals totals={expected.map((total) => ({ ...total, amount: total.expected }))} />
          {order.next_arrival && <Day day={order.next_arrival} />}
        </span>
      )}
      {drafted > 0 && <span className="text-muted">{draftLines({ count: drafted }, locale)}</span>}
      {of("draft") > 0 && (
        <Link
          to="/w/$workspace/purchase-orders/new"
          params={{ workspace: workspace.id }}
          search={{ order: order.order_no }}
          className={linkClass}
        >
          Go on with it
        </Link>
      )}
    </>
  );
}
