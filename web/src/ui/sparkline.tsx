import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { type Bucket, sparkBars, sparkTotals } from "@/lib/sparkline";

interface SparklineProps {
  /** Oldest first, usually one bucket per hour. */
  buckets: Bucket[];
  /** What it covers, for example "Last 24 hours". */
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
