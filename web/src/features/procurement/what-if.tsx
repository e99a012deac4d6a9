import type { Explanation, Outcome } from "@/api/types.gen";
import { Day } from "@/features/purchasing/parts";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { LineChart, type LineChartProps, type Mark } from "@/ui/chart";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Num } from "@/ui/num";
import { Section } from "./arithmetic";
import type { Typed } from "./explain";

interface WhatIfProps {
  explanation: Explanation;
  typed: Typed;
  onType: (change: Partial<Typed>) => void;
  /** Whether something is assumed that is not so. */
  changed: boolean;
}

/** The projected stock, and fields to try other assumptions. */
export function WhatIf({ explanation, typed, onType, changed }: WhatIfProps) {
  const { locale } = useLocale();
  const { is, what_if, rules, lead_time_days } = explanation;
  const rule = (key: string) => rules.find((one) => one.key === key)?.value ?? "";
  const fields: { name: keyof Typed; label: string; now: string }[] = [
    { name: "lead", label: "Lead time, days", now: String(lead_time_days) },
    {
      name: "chance",
      label: "Chance, %",
      now: String(Math.round(Number(rule("service_level")) * 1000) / 10),
    },
    { name: "cover", label: "Cover, days", now: rule("cover_days") },
    { name: "demand", label: "Demand, ± %", now: "0" },
  ];
  return (
    <Section id="what-if" title="Outlook">
      {is.projection.length > 0 ? (
        <LineChart {...chartOf(explanation, changed, locale)} />
      ) : (
        <p className="text-muted">Without a known stock, nothing is projected.</p>
      )}
      <h4 className="mt-3 mb-1.5 font-medium">What if</h4>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {fields.map(({ name, label, now }) => (
          <Field key={name} label={label}>
            <Input
              inputMode="decimal"
              autoComplete="off"
              maxLength={6}
              placeholder={now}
              value={typed[name]}
              onChange={(event) => onType({ [name]: event.currentTarget.value })}
            />
          </Field>
        ))}
      </div>
      <div role="status" className="mt-2 flex flex-wrap gap-x-6 gap-y-1">
        <Suggestion label="Suggested" of={is} />
        {changed && <Suggestion label="With these assumptions" of={what_if} />}
      </div>
    </Section>
  );
}

function Suggestion({ label, of }: { label: string; of: Outcome }) {
  return (
    <span>
      <span className="text-muted">{label}</span>{" "}
      <Num value={of.suggested_quantity} className="font-semibold" />
      {of.order_by_date && (
        <span className="text-muted">
          , order by <Day day={of.order_by_date} />
        </span>
      )}
    </span>
  );
}

function chartOf({ is, what_if, supply }: Explanation, changed: boolean, locale: string): LineChartProps {
  // What cannot be sold is not stock: without this, the last weeks would hide the first ones.
  const values = ({ projection, earliest_arrival_date: lands }: Outcome, ordered = 0) =>
    projection.map(({ day, left }) => {
      const more = lands !== undefined && day >= lands ? ordered : 0;
      return Math.max(0, Math.round((left + more) * 10) / 10);
    });
  const days = is.projection.map(({ day }) => day);
  const known = new Set(days);
  const arrivals = supply.flatMap(({ expected_on: day, quantity, order_no }): Mark[] =>
    day && known.has(day)
      ? [{ at: day, kind: "arrival", label: `${formatNumber(quantity, locale)} on ${order_no}` }]
      : [],
  );
  const out = is.projected_stockout_date;
  return {
    title: "Projected stock",
    across: { label: "Day", days },
    series: [
      { label: "Without an order", values: values(is) },
      { label: "As suggested", values: values(is, is.suggested_quantity) },
      ...(changed
        ? [{ label: "With these assumptions", values: values(what_if, what_if.suggested_quantity) }]
        : []),
    ],
    marks: [
      ...arrivals,
      ...(out && known.has(out) ? [{ at: out, kind: "out" as const, label: "Runs out" }] : []),
    ],
    rule: { label: "Reorder point", value: Math.round(is.reorder_point * 10) / 10 },
  };
}
