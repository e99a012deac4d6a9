import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { type Bucket, sparkBars, sparkLine, sparkTotals } from "@/lib/sparkline";

interface SparklineProps {
  /** Oldest first, usually one bucket per hour. */
  buckets: Bucket[];
  /** The period, for example "Last 24 hours". */
  label: string;
  className?: string;
}

const width = 120;
const height = 28;

export function Sparkline({ buckets, label, className }: SparklineProps) {
  const { locale } = useLocale();
  const bars = sparkBars(buckets, width, height);
  const totals = sparkTotals(buckets);
  const text = `${label}: ${formatNumber(totals.good, locale)} good, ${formatNumber(totals.failed, locale)} failed`;
  return (
    <svg
      role="img"
      aria-label={text}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={cx("h-7 w-full", className)}
    >
      <title>{text}</title>
      <path d={`M0 ${height - 0.5}H${width}`} className="stroke-line" vectorEffect="non-scaling-stroke" />
      <path d={bars.good} className="fill-accent-ink/70" />
      <path d={bars.failed} className="fill-bad" />
    </svg>
  );
}

interface TrendLineProps {
  /** Oldest first; null if unknown. */
  values: readonly (number | null)[];
  /** The figure, for example "Sold per week". */
  label: string;
  className?: string;
}

/** The trend of a figure, for a row of a list: a shape beside numbers, not a chart with axes. */
export function TrendLine({ values, label, className }: TrendLineProps) {
  const { locale } = useLocale();
  const { line, end } = sparkLine(values, width, height);
  const known = values.filter((value) => value !== null);
  const said = (value: number | undefined) => formatNumber(value ?? 0, locale);
  const text =
    known.length === 0
      ? `${label}: no values`
      : known.length > 1
        ? `${label}: from ${said(known[0])} to ${said(known.at(-1))}`
        : `${label}: ${said(known[0])}`;
  return (
    <svg
      role="img"
      aria-label={text}
      viewBox={`0 0 ${width} ${height}`}
      className={cx("h-7 w-30", className)}
    >
      <title>{text}</title>
      <path
        d={line}
        className="fill-none stroke-series-1 stroke-2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      {end && <circle cx={end.x} cy={end.y} r={2} className="fill-series-1" />}
    </svg>
  );
}
