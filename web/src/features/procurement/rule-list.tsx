import type { Rule } from "@/api/types.gen";

const names: Record<string, string> = {
  service_level: "Chance of not running out",
  default_lead_time_days: "Lead time if none is known, in days",
  cover_days: "Cover, in days",
  review_days: "Days between orders",
  max_safety_days: "Most safety stock, in days",
  lookahead_days: "Soon means within, in days",
  overdue_push_days: "An overdue delivery is expected in, days",
  stale_po_days: "Overdue for too long after, days",
  stock_stale_hours: "Stock is old after, hours",
};

function sourceOf({ source, title, version }: Rule): string {
  if (source === "default") return "default";
  const name = source === "strategy" ? `strategy ${title ?? ""}`.trim() : "config";
  return version ? `${name}, version ${version}` : name;
}

/** Settings of the playbook, each with where it comes from. The article's own values replace them. */
export function RuleList({ rules, own = {} }: { rules: Rule[]; own?: Record<string, string | undefined> }) {
  return (
    <dl className="divide-y divide-line">
      {rules.map((rule) => (
        <div key={rule.key} className="flex flex-wrap items-baseline gap-x-3 py-1">
          <dt>{names[rule.key] ?? rule.key.replaceAll("_", " ")}</dt>
          <dd className="order-last ml-auto tabular-nums">{own[rule.key] ?? rule.value}</dd>
          <dd className="text-muted text-xs">{own[rule.key] ? "set on this article" : sourceOf(rule)}</dd>
        </div>
      ))}
    </dl>
  );
}
