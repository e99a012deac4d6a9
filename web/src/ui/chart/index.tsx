import { lazyPart } from "../lazy-part";

// Charts need d3, so a page loads them only when it shows one, into a placeholder of the chart's
// size. The calls are marked as pure, so that a build without one of the charts leaves it out.

export const LineChart = /* @__PURE__ */ lazyPart(
  () => import("./line-chart").then((m) => m.LineChart),
  Waiting,
);
export const BarChart = /* @__PURE__ */ lazyPart(
  () => import("./bar-chart").then((m) => m.BarChart),
  Waiting,
);
export const HeatTable = /* @__PURE__ */ lazyPart(
  () => import("./heat-table").then((m) => m.HeatTable),
  () => <Waiting />,
);
export const StockChart = /* @__PURE__ */ lazyPart(
  () => import("./stock-chart").then((m) => m.StockChart),
  Waiting,
);

const aroundPlot = 66;

function Waiting({ height = 220 }: { height?: number }) {
  return <div aria-hidden className="skeleton" style={{ height: height + aroundPlot }} />;
}

export type { BarChartProps } from "./bar-chart";
export type { Leads, Target } from "./chart";
export type { Across, Band, Mark, Rule, Series } from "./data";
export type { LineChartProps } from "./line-chart";
export type { Arrival, Stock } from "./stock";
export type { StockChartProps } from "./stock-chart";
