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
 * 2.5 units tall: one failure among ten thousand records is the thing one must not miss.
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
