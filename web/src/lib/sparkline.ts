export interface Bucket {
  good: number;
  failed: number;
}

export interface Bars {
  good: string;
  failed: string;
}

const round = (n: number) => Math.round(n * 100) / 100;

function bar(x: number, y: number, width: number, height: number): string {
  return `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
}

/**
 * Two path strings for stacked bars, failed on top of good. Any non-zero count is at least
 * 2.5 units tall, so that one failure among ten thousand records is visible.
 */
export function sparkBars(buckets: Bucket[], width: number, height: number): Bars {
  const bars: Bars = { good: "", failed: "" };
  if (buckets.length === 0) return bars;
  const peak = Math.max(1, ...buckets.map((b) => b.good + b.failed));
  const slot = width / buckets.length;
  const gap = Math.min(1.5, slot * 0.25);
  const least = Math.min(2.5, height / 4);
  const tall = (count: number) => (count > 0 ? Math.max(least, (count / peak) * height) : 0);

  buckets.forEach((bucket, index) => {
    const x = index * slot + gap / 2;
    const failed = Math.min(tall(bucket.failed), height);
    const good = Math.min(tall(bucket.good), height - failed);
    if (good > 0) bars.good += bar(x, height - good, slot - gap, good);
    if (failed > 0) bars.failed += bar(x, height - good - failed, slot - gap, failed);
  });
  return bars;
}

export function sparkTotals(buckets: Bucket[]): Bucket {
  return buckets.reduce((sum, b) => ({ good: sum.good + b.good, failed: sum.failed + b.failed }), {
    good: 0,
    failed: 0,
  });
}

export interface Trend {
  line: string;
  /** The last known point, which gets a mark. */
  end: { x: number; y: number } | undefined;
}

/**
 * A line through values, scaled to a small box, with gaps where a value is null. Written by hand,
 * so that a list of rows needs no chart library.
 */
export function sparkLine(values: readonly (number | null)[], width: number, height: number): Trend {
  const known = values.filter((value) => value !== null);
  const edge = 2;
  const low = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const y = (value: number) =>
    low === high ? height / 2 : height - edge - ((value - low) / (high - low)) * (height - 2 * edge);
  const step = values.length > 1 ? (width - 2 * edge) / (values.length - 1) : 0;
  const trend: Trend = { line: "", end: undefined };
  values.forEach((value, index) => {
    if (value === null) return;
    const end = { x: round(edge + index * step), y: round(y(value)) };
    const joined = index > 0 && values[index - 1] !== null;
    // A point between two gaps is a line of zero length, which round line caps turn into a dot.
    trend.line += joined ? `L${end.x} ${end.y}` : `M${end.x} ${end.y}h0`;
    trend.end = end;
  });
  return trend;
}
