import { formatMoney, formatNumber } from "@/lib/format";
import { language } from "@/lib/language";
import type { Locale } from "@/lib/locale";
import { dateFormat } from "@/lib/time";
import { type DayStep, dayDate } from "./geometry";

/** The format of a chart's values. */
export interface ValueStyle {
  /** Such as "pcs"; shown at the top of the axis and after each value. */
  unit?: string;
  /** A currency's code, if the values are amounts of money. */
  currency?: string;
  /** Values are ratios. */
  percent?: boolean;
  /** Values are estimates: few digits are enough. */
  estimate?: boolean;
}

export interface Words {
  /** A value in full. */
  value: (value: number) => string;
  /** A value beside the axis. */
  tick: (value: number) => string;
  /** The unit at the top of the axis. */
  unit: string | undefined;
  /** A day with its weekday. */
  day: (day: number) => string;
  /** A day in a sentence. */
  date: (day: number) => string;
  /** A day below the axis; the first label and every January also name the year. */
  dayTick: (day: number, step: DayStep, first: boolean) => string;
}

function formatDay(day: number, locale: string, options: Intl.DateTimeFormatOptions): string {
  return dateFormat(locale, { ...options, timeZone: "UTC" }).format(dayDate(day));
}

const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });

/** 12,400 as 12.4K: the number in the locale's format, the letter in the page's language. */
export function shortened(value: number, locale: string): string {
  const point = formatNumber(0.5, locale).charAt(1);
  return compact
    .formatToParts(value)
    .map((part) => (part.type === "decimal" ? point : part.value))
    .join("");
}

export function chartWords({ locale }: Pick<Locale, "locale">, style: ValueStyle = {}): Words {
  const { unit, currency, percent, estimate } = style;
  return {
    value: (value) => {
      if (currency) return formatMoney(value, currency, locale);
      const text = formatNumber(value, locale, percent ? { percent } : estimate ? { estimate } : {});
      return unit ? `${text} ${unit}` : text;
    },
    tick: (value) => {
      if (!percent && Math.abs(value) >= 10_000) return shortened(value, locale);
      return formatNumber(value, locale, percent ? { percent } : {});
    },
    unit: currency ?? unit,
    day: (day) =>
      formatDay(day, locale, { weekday: "short", day: "numeric", month: "short", year: "numeric" }),
    date: (day) => formatDay(day, locale, { day: "numeric", month: "short", year: "numeric" }),
    dayTick: (day, step, first) => {
      if (step === "day") return formatDay(day, locale, { day: "numeric", month: "short" });
      if (step === "year") return formatDay(day, locale, { year: "numeric" });
      const named = first || dayDate(day).getUTCMonth() === 0;
      return formatDay(day, locale, named ? { month: "short", year: "numeric" } : { month: "short" });
    },
  };
}
