import type { LinkProps } from "@tanstack/react-router";
import type { Delivery as Part, Deliveries as Parts } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { ordersAndLines } from "@/messages/today";
import { Row, Rows, Section } from "./parts";

/** What is to arrive. */
export function Deliveries({ deliveries }: { deliveries: Parts }) {
  const { locale } = useLocale();
  const params = { workspace: usePlace().workspace.id };
  const arrivals: LinkProps = { to: "/w/$workspace/arrivals", params };
  const { late, today, soon, undated } = deliveries;
  const rows = [
    { label: "Late", part: late, link: { ...arrivals, search: { group: "late" } } },
    { label: "Today", part: today, link: { ...arrivals, search: { group: "today" } } },
    { label: "Next 7 days", part: soon, link: { ...arrivals, search: { group: "soon" } } },
    { label: "Without a date", part: undated, link: { ...arrivals, search: { group: "undated" } } },
  ] satisfies { label: string; part: Part; link: LinkProps }[];
  const none = rows.every(({ part }) => part.lines === 0);
  return (
    <Section title="Deliveries" link={arrivals}>
      {none && <p className="text-muted">No delivery is expected.</p>}
      <Rows>
        {!none &&
          rows.map(({ label, part, link }) => (
            <Row key={label} link={part.lines > 0 ? link : undefined}>
              <span className={cx("flex-1", part.lines > 0 ? "font-medium" : "text-muted")}>{label}</span>
              {part.lines > 0 ? (
                <span className={cx("tabular-nums", part === late && "font-medium text-bad-ink")}>
                  {ordersAndLines(part, locale)}
                </span>
              ) : (
                <span className="text-muted">none</span>
              )}
            </Row>
          ))}
      </Rows>
    </Section>
  );
}
