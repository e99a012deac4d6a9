import { Link } from "@tanstack/react-router";
import { CircleAlert, Flag as FlagIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { flagged } from "@/messages/common";
import { type Status, StatusBadge } from "@/ui/badge";
import { ErrorNote } from "@/ui/error-note";
import { Money, Num } from "@/ui/num";
import { LeftOut } from "./left-out";
import type { Money as Sum } from "./model";
import type { LineStatus } from "./tabs";

const looks: Record<LineStatus, Status> = {
  draft: "draft",
  pending_approval: "pending",
  ordered: "ordered",
  partially_received: "partial",
  received: "received",
  cancelled: "cancelled",
};

interface LineStatusBadgeProps {
  status: LineStatus;
  /** The line is received, although less arrived than was ordered. */
  closedShort?: boolean | undefined;
}

export function LineStatusBadge({ status, closedShort }: LineStatusBadgeProps) {
  return <StatusBadge status={closedShort ? "short" : looks[status]} />;
}

/** An amount of money, or a plain number if the line has no currency. */
export function Amount({ amount, currency }: { amount: string | undefined; currency: string | undefined }) {
  if (amount === undefined) return <Num value={undefined} />;
  return currency ? <Money amount={amount} currency={currency} /> : <Num value={amount} />;
}

interface TotalsProps {
  totals: readonly Sum[];
  /** How many lines are in none of them, because their amount cannot be true. */
  leftOut?: number;
  className?: string;
}

export function Totals({ totals, leftOut = 0, className }: TotalsProps) {
  if (totals.length === 0 && leftOut === 0) return <Num value={undefined} />;
  return (
    <span className={cx("flex flex-wrap justify-end gap-x-3", className)}>
      {totals.map(({ currency, amount }) => (
        <Amount key={currency} amount={amount} currency={currency} />
      ))}
      <LeftOut count={leftOut} />
    </span>
  );
}

/** An expected day; a late one is marked with a word, not only by colour. */
export function Day({ day, late }: { day: string | undefined; late?: boolean }) {
  const { locale } = useLocale();
  if (!day) return <Num value={undefined} />;
  return (
    <span className={cx("whitespace-nowrap", late && "font-medium text-bad-ink")}>
      <time dateTime={day}>{formatDay(day, locale)}</time>
      {late && " · overdue"}
    </span>
  );
}

export function FlagCount({ count }: { count: number }) {
  const { locale } = useLocale();
  if (count === 0) return null;
  const text = flagged({ count }, locale);
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap text-warn-ink text-xs" title={text}>
      <FlagIcon className="size-3.5" aria-hidden />
      <span aria-hidden>{formatNumber(count, locale)}</span>
      <span className="sr-only">{text}</span>
    </span>
  );
}

export function OrderLink({ order, className }: { order: string; className?: string }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/purchase-orders/$order"
      params={{ workspace: workspace.id, order }}
      className={cx("break-all rounded-sm font-medium text-accent-ink hover:underline", className)}
    >
      {order}
    </Link>
  );
}

/** A refusal in the service's own words, which are written for people. */
export function Refusal({ error, children }: { error: unknown; children?: ReactNode }) {
  const problem = toApiError(error);
  if (![403, 409, 422, 429].includes(problem.status)) return <ErrorNote error={problem} />;
  const details = problem.errors.map((one) => one.detail).filter((text) => !problem.message.includes(text));
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2 text-bad-ink">
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0">
        <p>{[problem.message, ...details].join(" ")}</p>
        {children}
      </div>
    </div>
  );
}
