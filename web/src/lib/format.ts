/** A decimal as the API sends it. Strings keep every digit; Intl formats them exactly. */
export type Decimal = number | bigint | string;

const cache = new Map<string, Intl.NumberFormat>();

// Building a formatter costs far more than using it, and tables use thousands.
function formatter(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = locale + JSON.stringify(options);
  let found = cache.get(key);
  if (!found) {
    found = new Intl.NumberFormat(locale, options);
    cache.set(key, found);
  }
  return found;
}

const decimalPattern = /^-?\d+(\.\d+)?$/;

function render(value: Decimal, locale: string, options: Intl.NumberFormatOptions): string {
  if (typeof value === "string" && !decimalPattern.test(value)) return value;
  if (typeof value === "number" && !Number.isFinite(value)) return "–";
  return formatter(locale, options).format(value as Intl.StringNumericLiteral);
}

export interface NumberStyle {
  /** The exact number of decimals; by default between none and three. */
  digits?: number;
  /** Shows a ratio as a percentage. */
  percent?: boolean;
  /** The number is an estimate: one decimal, or three significant digits if that is more. */
  estimate?: boolean;
}

export function formatNumber(value: Decimal, locale: string, style: NumberStyle = {}): string {
  const options: Intl.NumberFormatOptions = {};
  if (style.digits !== undefined) {
    options.minimumFractionDigits = style.digits;
    options.maximumFractionDigits = style.digits;
  }
  if (style.estimate) {
    options.maximumFractionDigits = 1;
    options.maximumSignificantDigits = 3;
    options.roundingPriority = "morePrecision";
  }
  if (style.percent) {
    options.style = "percent";
    options.maximumFractionDigits ??= 1;
  }
  return render(value, locale, options);
}

const money = { style: "currency", currencyDisplay: "narrowSymbol" } as const;

export function formatMoney(amount: Decimal, currency: string, locale: string): string {
  return render(amount, locale, { ...money, currency });
}

/** An amount for use inside a sentence: a whole one has no decimals. Without a currency, a number. */
export function formatSum(amount: Decimal, currency: string | undefined, locale: string): string {
  if (!currency) return formatNumber(amount, locale);
  return render(amount, locale, { ...money, currency, trailingZeroDisplay: "stripIfInteger" });
}

const byteUnits = ["byte", "kB", "MB", "GB"];

/** A file's size in the largest unit that leaves a whole number before the point. */
export function formatBytes(bytes: number, locale: string): string {
  const step = Math.min(byteUnits.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1024)));
  const size = formatter(locale, { maximumFractionDigits: 1 }).format(bytes / 1024 ** step);
  return `${size} ${byteUnits[step]}`;
}
