import { cx } from "@/lib/cx";
import { type Decimal, formatMoney, formatNumber, type NumberStyle } from "@/lib/format";
import { useLocale } from "@/lib/locale";

interface NumProps extends NumberStyle {
  value: Decimal | null | undefined;
  unit?: string;
  className?: string;
}

const figures = "tabular-nums text-right whitespace-nowrap";

// An empty cell looks like an error; a dash says that there is no value.
function Nothing() {
  return (
    <span className="text-subtle">
      <span aria-hidden>–</span>
      <span className="sr-only">none</span>
    </span>
  );
}

export function Num({ value, unit, className, ...style }: NumProps) {
  const { locale } = useLocale();
  if (value === null || value === undefined) return <Nothing />;
  return (
    <span className={cx(figures, className)}>
      {formatNumber(value, locale, style)}
      {unit && <span className="ml-1 text-subtle">{unit}</span>}
    </span>
  );
}

interface MoneyProps {
  /** A decimal string, as the API sends it; a float would lose digits. */
  amount: Decimal | null | undefined;
  currency?: string;
  className?: string;
}

export function Money({ amount, currency, className }: MoneyProps) {
  const { locale, currency: own } = useLocale();
  if (amount === null || amount === undefined) return <Nothing />;
  return <span className={cx(figures, className)}>{formatMoney(amount, currency ?? own, locale)}</span>;
}
