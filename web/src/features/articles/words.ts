import type { LeadTime } from "@/api/types.gen";

const sources: Record<LeadTime["source"], string> = {
  product: "set on the product",
  article: "learnt from deliveries of this article",
  supplier_learnt: "learnt from the supplier's deliveries",
  supplier: "set on the supplier",
  default: "the default",
};

export function leadSource({ source }: LeadTime): string {
  return sources[source];
}

/** An address that a link may open: a record may hold any text. */
export function webAddress(text: string | undefined): string | undefined {
  return text && /^https?:\/\//i.test(text) ? text : undefined;
}
