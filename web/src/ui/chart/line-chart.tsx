import { useLocale } from "@/lib/locale";
import { Chart, type ChartFrameProps } from "./chart";
import type { ChartData } from "./data";
import { lineScene } from "./line-scene";
import { chartWords, type ValueStyle } from "./words";

export interface LineChartProps extends ChartFrameProps, ChartData {
  values?: ValueStyle;
  /** False if small differences matter more than amounts; the axis then need not begin at zero. */
  zero?: boolean;
}

/** Lines over days or names, with an optional band, marks and rule. Missing values are gaps. */
export function LineChart({
  across,
  series,
  band,
  marks,
  rule,
  values,
  zero = true,
  ...frame
}: LineChartProps) {
  const words = chartWords(useLocale(), values);
  const data = { across, series, band, marks, rule };
  return (
    <Chart
      {...frame}
      data={data}
      words={words}
      scene={(size) => lineScene(data, size, words, { curve: "straight", zero, shortage: false })}
    />
  );
}
