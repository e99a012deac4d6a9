/**
 * Exact arithmetic on decimals as the API sends them. Money is never a float: 0.1 + 0.2 would
 * be a cent wrong somewhere, sooner or later.
 */
interface Exact {
  units: bigint;
  /** The number of digits after the point. */
  scale: number;
}

const pattern = /^(-?)(\d+)(?:\.(\d+))?$/;

export function isDecimal(text: string): boolean {
  return pattern.test(text);
}

function parse(text: string): Exact {
  const found = pattern.exec(text);
  if (!found) throw new RangeError(`not a decimal: ${text}`);
  const [, sign = "", whole = "0", fraction = ""] = found;
  return { units: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

function show({ units, scale }: Exact): string {
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  const text = fraction ? `${whole}.${fraction}` : whole;
  return negative && text !== "0" ? `-${text}` : text;
}

function raise({ units, scale }: Exact, to: number): bigint {
  return units * 10n ** BigInt(to - scale);
}

/** The greatest quantity or amount that is believed: the service leaves greater ones out of sums, too. */
const most = 10n ** 12n;

/** Whether a text is an amount that can be true. */
export function isPlausible(text: string): boolean {
  if (!isDecimal(text)) return false;
  const { units, scale } = parse(text);
  return (units < 0n ? -units : units) <= most * 10n ** BigInt(scale);
}

export function add(a: string, b: string): string {
  const [x, y] = [parse(a), parse(b)];
  const scale = Math.max(x.scale, y.scale);
  return show({ units: raise(x, scale) + raise(y, scale), scale });
}

export function multiply(a: string, b: string): string {
  const [x, y] = [parse(a), parse(b)];
  return show({ units: x.units * y.units, scale: x.scale + y.scale });
}

/** Negative if a < b, 0 if they are equal, positive if a > b. */
export function compare(a: string, b: string): number {
  const [x, y] = [parse(a), parse(b)];
  const scale = Math.max(x.scale, y.scale);
  const difference = raise(x, scale) - raise(y, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
