import type { LinkProps } from "@tanstack/react-router";
import type { Suggested } from "@/api/types.gen";
import { Urgency } from "@/features/procurement/badges";
import { LeftOut } from "@/features/purchasing/left-out";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { articles } from "@/messages/today";
import { Num } from "@/ui/num";
import { Row, Rows, Section, sumsText } from "./parts";

/** How much there is to order, and the most urgent articles. */
export function ToOrder({ suggested }: { suggested: Suggested | undefined }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const list = (open?: string): LinkProps => ({
    to: "/w/$workspace/to-order",
    params: { workspace: workspace.id },
    search: open ? { open } : {},
  });
  const { articles: count = 0, critical = 0, cost = [], top = [] } = suggested ?? {};
  const worth = sumsText(
    cost.filter(({ amount }) => Number(amount) > 0),
    locale,
  );
  return (
    <Section
      title="To order today"
      link={list()}
      className="lg:col-start-2 lg:row-span-2"
      description={
        count > 0 && (
          <span className="tabular-nums">
            {articles({ count, critical }, locale)}
            {worth && ` · ${worth}`} <LeftOut count={suggested?.left_out ?? 0} />
          </span>
        )
      }
    >
      {!suggested && (
        <p className="text-muted">Nothing was computed yet. It takes articles with stock, and their sales.</p>
      )}
      {suggested && count === 0 && <p className="text-muted">Nothing is to be ordered today.</p>}
      <Rows>
        {top.map((row) => (
          <Row key={row.product_id} link={list(row.product_id)}>
            <span className="min-w-0 flex-1">
              <span className="line-clamp-1 font-medium">{row.name}</span>
              <span className="text-muted text-xs tabular-nums">
                {row.projected_stockout_date
                  ? `Runs out on ${formatDay(row.projected_stockout_date, locale, { day: "numeric", month: "short" })}`
                  : "Does not run out soon"}
              </span>
            </span>
            <span className="w-16 text-xs">
              <Urgency urgency={row.urgency} />
            </span>
            <span className="w-20 text-right">
              <span className="text-muted text-xs">order </span>
              <Num value={row.suggested_quantity} />
            </span>
          </Row>
        ))}
      </Rows>
    </Section>
  );
}
