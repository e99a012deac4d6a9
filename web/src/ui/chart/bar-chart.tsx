import { useLocale } from "@/lib/locale";
import { barScene } from "./bar-scene";
import { Chart, type ChartFrameProps } from "./chart";
import type { ChartData } from "./data";
import { chartWords, type ValueStyle } from "./words";

export interface BarChartProps extends ChartFrameProps, Pick<ChartData, "across" | "series"> {
  values?: ValueStyle;
}

/** Bars over days or names, with up to four series side by side. */
export function BarChart({ across, series, values, ...frame }: BarChartProps) {
  const words = chartWords(useLocale(), values);
  const data = { across, series };
  return <Chart {...frame} bars data={data} words={words} scene={(size) => barScene(data, size, words)} />;
}
