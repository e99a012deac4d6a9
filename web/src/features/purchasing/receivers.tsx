import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { allowOrderReceiverMutation, removeOrderReceiverMutation } from "@/api/@tanstack/react-query.gen";
import type { OrderDraft, OrderSupplier } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { IconButton } from "@/ui/icon-button";
import { Refusal } from "./parts";
import { partOf } from "./print";
import { useActors } from "./queries";
import { newReceivers } from "./sent-words";

interface ReceiversProps {
  order: string;
  supplier?: OrderSupplier | undefined;
  mail: OrderDraft;
  /** The addresses that somebody has typed. */
  typed: readonly string[];
  /** Reads the mail again. */
  look: () => void;
}

/** Where else orders of the supplier may go. Admins allow what was typed, and remove what was allowed. */
export function Receivers({ order, supplier, mail, typed, look }: ReceiversProps) {
  const { workspace, can } = usePlace();
  const actor = useActors();
  const at = { path: { workspace: workspace.id, order }, query: partOf(supplier) };
  const allow = useMutation({ ...allowOrderReceiverMutation(), onSuccess: look });
  const remove = useMutation({ ...removeOrderReceiverMutation(), onSuccess: look });
  const admin = can("allow_receivers");
  const fresh = admin ? newReceivers(mail, typed) : [];
  const failure = allow.error ?? remove.error;
  if (mail.receivers.length === 0 && fresh.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 text-muted">
      {mail.receivers.length > 0 && (
        <ul aria-label="Other addresses that are allowed">
          {mail.receivers.map((one) => (
            <li key={one.address} className="flex min-h-8 flex-wrap items-center gap-x-2">
              <span className="break-all text-ink">{one.address}</span> allowed by {actor(one)}
              {admin && (
                <IconButton
                  label={`Remove ${one.address}`}
                  size="sm"
                  icon={<X aria-hidden />}
                  onClick={() => remove.mutate({ ...at, query: { ...at.query, address: one.address } })}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {fresh.map((address) => (
        <p key={address} className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="break-all">
            {address} is not one of this supplier. Sending the order there allows it.
          </span>
          <Button
            size="sm"
            className="max-md:h-11"
            loading={allow.isPending}
            onClick={() => allow.mutate({ ...at, body: { address } })}
          >
            Allow
          </Button>
        </p>
      ))}
      {failure && <Refusal error={failure} />}
    </div>
  );
}
