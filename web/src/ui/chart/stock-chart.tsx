import { useLocale } from "@/lib/locale";
import { Chart, type ChartFrameProps } from "./chart";
import { lineScene } from "./line-scene";
import { type Stock, stockData, stockSummary } from "./stock";
import { chartWords } from "./words";

export interface StockChartProps extends ChartFrameProps, Stock {
  unit?: string;
}

/** Projected stock by day, with arrivals, the reorder point and the day on which it runs out. */
export function StockChart(props: StockChartProps) {
  const { days, left, arrivals, reorderPoint, unit, summary, ...frame } = props;
  const words = chartWords(useLocale(), { estimate: true, ...(unit && { unit }) });
  const stock = { days, left, arrivals, reorderPoint };
  const data = stockData(stock);
  return (
    <Chart
      {...frame}
      summary={summary ?? stockSummary(stock, words)}
      data={data}
      words={words}
      scene={(size) => lineScene(data, size, words, { curve: "step", zero: true, shortage: true })}
    />
  );
}
