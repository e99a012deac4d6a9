import { Badge } from "@/ui/badge";
import { type OrderState, states } from "./words";

export function StateBadge({ state }: { state: OrderState }) {
  const { label, tone } = states[state];
  return <Badge tone={tone}>{label}</Badge>;
}
