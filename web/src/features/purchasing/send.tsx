import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Mail } from "lucide-react";
import { draftOrderMailOptions } from "@/api/@tanstack/react-query.gen";
import type { OrderSupplier } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { changedSinceSent, lines } from "@/messages/purchasing";
import { Button } from "@/ui/button";
import { Menu, MenuItem } from "@/ui/menu";
import { useSuppliersOf } from "./print";

interface SendProps {
  order: string;
  /** Opens the mail, for one of several suppliers. */
  send: (supplier?: OrderSupplier) => void;
  /** Approved, so that sending it is the next step. */
  ready: boolean;
}

/** Opens the mail with the order; with several suppliers, for one at a time. */
export function Send({ order, send, ready }: SendProps) {
  const { workspace } = usePlace();
  const suppliers = useSuppliersOf(order);
  const mail = useMail(order, suppliers.length === 1 && ready);
  if (suppliers.length > 1)
    return (
      <Menu
        align="start"
        trigger={
          <Button icon={<Mail aria-hidden />} className="max-md:h-11">
            Send to supplier
            <ChevronDown className="size-4" aria-hidden />
          </Button>
        }
      >
        {suppliers.map((supplier) => (
          <MenuItem key={supplier.id ?? supplier.name ?? ""} onSelect={() => send(supplier)}>
            {supplier.name ?? supplier.id}
            <span className="ml-2 text-muted">{lines({ count: supplier.lines }, workspace.locale)}</span>
          </MenuItem>
        ))}
      </Menu>
    );
  const never = mail !== undefined && !mail.last;
  return (
    <Button
      variant={ready && never ? "primary" : "secondary"}
      icon={<Mail aria-hidden />}
      className="max-md:h-11 max-md:grow"
      onClick={() => send()}
    >
      {mail?.last ? "Send again…" : "Send to supplier…"}
    </Button>
  );
}

/** What was sent before. */
function useMail(order: string, enabled: boolean) {
  const { workspace } = usePlace();
  return useQuery({ ...draftOrderMailOptions({ path: { workspace: workspace.id, order } }), enabled }).data;
}

/** Says that the supplier has an older order than this one. */
export function ChangedSince({ order, send }: Pick<SendProps, "order" | "send">) {
  const { workspace, can } = usePlace();
  const mail = useMail(order, useSuppliersOf(order).length === 1);
  if (!mail?.last || mail.changed_lines === 0) return null;
  return (
    <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
      {changedSinceSent({ count: mail.changed_lines }, workspace.locale)}.
      {can("send_orders") && mail.unapproved_lines === 0 && (
        <Button size="sm" className="max-md:h-11" onClick={() => send()}>
          Send again…
        </Button>
      )}
    </p>
  );
}
