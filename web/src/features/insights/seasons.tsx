import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { Card } from "@/ui/card";
import { HeatTable } from "@/ui/chart/heat-table";
import { rowsOf } from "./links";
import { numberOf, textOf } from "./model";
import { DataAsOf, Insight, To } from "./parts";
import { seldomMs, useRows } from "./queries";

const months = Array.from({ length: 12 }, (_, month) => month);
/** Families that are shown; there are twelve rows for each. */
const mostRows = 996;

/** How the demand of families varies over the year. */
export function Seasons() {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const query = useRows("seasonality", { sort_by: "scope", limit: mostRows }, seldomMs);
  const name = (month: number) =>
    formatDay(`2026-${String(month + 1).padStart(2, "0")}-01`, locale, { month: "short" });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <To to={rowsOf(workspace.id, "seasonality")}>See all months</To>
      </div>
      <DataAsOf demand />
      <Insight
        of={query}
        empty={({ items }) => items.length === 0}
        missing="Seasons are measured every night from twelve months of sales on."
      >
        {({ items, next_cursor }) => {
          const families = new Map<string, (number | null)[]>();
          for (const { values } of items) {
            const scope = textOf(values.scope);
            const own = families.get(scope) ?? months.map(() => null);
            own[Number(values.month) - 1] = numberOf(values.index);
            families.set(scope, own);
          }
          return (
            <Card
              footer={`1 is an average month; 1.5 is half as much again. Families with little history stay near 1. ALL is every article together.${next_cursor ? " Only the first families are shown." : ""}`}
            >
              <HeatTable
                title="Demand by family and month"
                corner="Family"
                columns={months.map(name)}
                rows={[...families].map(([label, values]) => ({ label, values }))}
                style={{ digits: 2 }}
                leads={(scope) => rowsOf(workspace.id, "seasonality", { filters: { scope: { eq: scope } } })}
              />
            </Card>
          );
        }}
      </Insight>
    </div>
  );
}
