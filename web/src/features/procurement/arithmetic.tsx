import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Explanation } from "@/api/types.gen";
import { Day } from "@/features/purchasing/parts";
import { usePlace } from "@/lib/session";
import { Num } from "@/ui/num";
import { RuleList } from "./rule-list";

interface SectionProps {
  id?: string;
  title: string;
  children: ReactNode;
}

/** A part of the details; the sentence's numbers move the focus to it. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section id={id} tabIndex={-1} aria-label={title} className="rounded-sm">
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      {children}
    </section>
  );
}

interface PartProps {
  explanation: Explanation;
}

/** The open lines that the suggestion counts on. */
export function OnOrder({ explanation: { supply } }: PartProps) {
  const { workspace } = usePlace();
  return (
    <Section id="on-order" title="On order">
      {supply.length === 0 && <p className="text-muted">Nothing is on order.</p>}
      <ul className="divide-y divide-line">
        {supply.map((line) => (
          <li key={line.line_id} className="flex flex-wrap items-baseline gap-x-3 py-1">
            <Link
              to="/w/$workspace/purchase-orders/$order"
              params={{ workspace: workspace.id, order: line.order_no }}
              search={{ line: line.line_id }}
              className="rounded-sm text-accent-ink hover:underline"
            >
              {line.order_no}
            </Link>
            <Num value={line.quantity} />
            <span className="ml-auto text-muted">
              {line.expected_on ? (
                <>
                  expected <Day day={line.expected_on} />
                </>
              ) : (
                "no date"
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** How the quantity was computed, step by step. */
export function Arithmetic({ explanation }: PartProps) {
  const { is, recommendation: row } = explanation;
  const position = (row.available ?? 0) + row.open_purchase_order_quantity;
  const steps: [string, string, number][] = [
    ["Sells in a day", "", is.demand_per_day],
    ["Safety stock", "for demand and deliveries that are not as expected", is.safety_stock],
    ["Reorder point", "demand during the lead time, and the safety stock", is.reorder_point],
    ["Target", "the reorder point, and demand for the days of cover", is.target_stock],
    ["Available and on order", "", position],
    ["Missing", "", is.raw_quantity],
    ["Suggested", "rounded up to what can be ordered", is.suggested_quantity],
  ];
  return (
    <Section id="arithmetic" title="Arithmetic">
      <dl className="divide-y divide-line">
        {steps.map(([name, about, value]) => (
          <div key={name} className="flex items-baseline gap-3 py-1">
            <dt>{name}</dt>
            <dd className="order-last ml-auto">
              <Num value={value} estimate />
            </dd>
            {about && <dd className="text-muted text-xs">{about}</dd>}
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** The settings of the playbook that apply to the article. */
export function Rules({ explanation: { rules } }: PartProps) {
  return (
    <Section title="Rules">
      <RuleList rules={rules} />
    </Section>
  );
}
