import { Card } from "@/ui/card";
import { BarChart, HeatTable, LineChart, StockChart } from "@/ui/chart";
import { TrendLine } from "@/ui/sparkline";
import * as data from "./chart-data";
import { Row, Section } from "./section";

export function Charts() {
  return (
    <Section id="charts" title="Charts">
      <Card>
        <LineChart
          title="Demand of TEE-BLK-M"
          across={{ label: "Week of", days: data.weeks }}
          series={[
            { label: "Sold", values: data.sold },
            { label: "Forecast", values: data.forecast },
            { label: "Last year", values: data.lastYear },
          ]}
          band={data.band}
          marks={data.demandMarks}
          rule={{ label: "Reorder point", value: 90 }}
          values={{ unit: "pcs" }}
        />
      </Card>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card>
          <StockChart
            title="Projected stock of TEE-BLK-M"
            days={data.stockDays}
            left={data.stockLeft}
            arrivals={data.arrivals}
            reorderPoint={60}
            unit="pcs"
          />
        </Card>
        <Card>
          <BarChart
            title="Revenue by family"
            across={{ label: "Family", names: data.families }}
            series={[
              { label: "This quarter", values: data.revenue },
              { label: "A year ago", values: data.revenueBefore },
            ]}
            values={{ currency: "EUR" }}
          />
        </Card>
        <Card>
          <LineChart
            title="Visits per day"
            across={{ label: "Day", days: data.longDays }}
            series={[{ label: "Visits", values: data.long }]}
            zero={false}
          />
        </Card>
        <Card>
          <BarChart
            title="Orders per week"
            across={{ label: "Week of", days: data.weeks }}
            series={[{ label: "Orders", values: data.lastYear }]}
          />
        </Card>
        <Card>
          <LineChart
            title="One value only"
            height={120}
            across={{ label: "Day", days: data.daysFrom(0, 1) }}
            series={[{ label: "Sold", values: [12] }]}
          />
        </Card>
        <Card>
          <LineChart title="No values yet" height={120} across={{ label: "Day", days: [] }} series={[]} />
        </Card>
      </div>
      <Card>
        <HeatTable
          title="Sold by family and month"
          corner="Family"
          columns={data.months}
          rows={data.season}
        />
      </Card>
      <div className="w-72 max-w-full rounded-lg border border-line bg-surface p-3" data-narrow>
        <StockChart
          plain
          height={140}
          title="In a popover"
          days={data.stockDays}
          left={data.stockLeft}
          arrivals={data.arrivals}
          reorderPoint={60}
        />
      </div>
      <Row label="Trend lines" wide>
        <TrendLine values={data.lastYear} label="Sold per week" />
        <TrendLine values={data.sold} label="Sold per week, with gaps" />
        <TrendLine values={[3]} label="One value" />
        <TrendLine values={[]} label="Nothing" />
      </Row>
    </Section>
  );
}
