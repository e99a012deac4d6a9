import type { OrderDraft, OrderMail } from "@/api/types.gen";

/** The addresses in what somebody typed: separated by commas, semicolons or spaces. */
export const addressesIn = (typed: string) => typed.split(/[\s,;]+/).filter(Boolean);

/** What was typed that is neither the supplier's address nor allowed. */
export function newReceivers(mail: Pick<OrderDraft, "to" | "receivers">, typed: readonly string[]): string[] {
  const known = new Set(
    [...mail.to, ...mail.receivers.map((one) => one.address)].map((a) => a.toLowerCase()),
  );
  const fresh = typed.map((address) => address.toLowerCase()).filter((address) => !known.has(address));
  return [...new Set(fresh)].filter((address) => /^[^@]+@[^@.]+\.[^@]+$/.test(address));
}

type Told = Pick<OrderMail, "state" | "to"> & { reason?: string };

interface State {
  /** Follows the actor's name. */
  told: string;
  /** What a person should know of it. */
  note?: string;
  tone: "plain" | "warn" | "danger";
  /** Nothing more will happen by itself. */
  ended: boolean;
}

/** What is known of a mail with an order, in words. */
export function mailState({ state, to, reason }: Told): State {
  const whom = to.length > 0 ? ` to ${to.join(", ")}` : "";
  switch (state) {
    case "queued":
    case "sending":
      return {
        told: `is sending the order${whom}`,
        ...(reason && { note: `${reason} It is tried again.` }),
        tone: "plain",
        ended: false,
      };
    case "failed":
      return {
        told: `could not send the order${whom}`,
        ...(reason && { note: reason }),
        tone: "danger",
        ended: true,
      };
    case "unknown":
      return {
        told: `perhaps sent the order${whom}`,
        note: `${reason ?? ""} Ask the supplier before you send it again.`.trim(),
        tone: "warn",
        ended: true,
      };
    case "by_hand":
      return { told: `sent the order${whom} by hand`, tone: "plain", ended: true };
    default:
      return { told: `sent the order${whom}`, tone: "plain", ended: true };
  }
}
