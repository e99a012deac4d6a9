import { Link } from "@tanstack/react-router";
import type { Recommendation } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { undated } from "@/messages/common";
import { implausible, incomplete, unmatched, waiting } from "@/messages/procurement";
import { blockedWords, urgencyWords } from "./words";

type UrgencyName = Recommendation["urgency"];

const bars: Record<UrgencyName, number> = { critical: 3, high: 3, medium: 2, low: 1 };

/** Three bars and a word. */
export function Urgency({ urgency }: { urgency: UrgencyName }) {
  const critical = urgency === "critical";
  return (
    <span className={cx("inline-flex shrink-0 items-center gap-1", critical && "font-medium text-bad-ink")}>
      <span className="flex items-end gap-px" aria-hidden>
        {["h-1", "h-2", "h-3"].map((height, index) => (
          <span
            key={height}
            className={cx("w-0.75 rounded-xs bg-current", height, index >= bars[urgency] && "opacity-25")}
          />
        ))}
      </span>
      {urgencyWords[urgency]}
    </span>
  );
}

const linkClass = "rounded-sm text-warn-ink underline decoration-dotted underline-offset-2 leading-6";

/** What is special about a row: a line that answers it, why agents may not order it, missing data. */
export function Marks({ row }: { row: Recommendation }) {
  const { lock, blocked_reason: blocked, data_gaps: gaps } = row;
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const params = { workspace: workspace.id };
  const held = lock || (blocked && blocked !== "suppressed");
  if (!held && !Object.values(gaps).some(Boolean)) return null;
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs">
      {lock && (
        <Link
          to="/w/$workspace/purchase-orders/$order"
          params={{ ...params, order: lock.order_no }}
          search={{ line: lock.line_id }}
          className="rounded-sm font-medium text-accent-ink leading-6 hover:underline"
        >
          {lock.status === "draft" ? "Drafted" : "Pending approval"}, {formatNumber(lock.quantity, locale)} in{" "}
          {lock.order_no}
        </Link>
      )}
      {blocked && blocked !== "suppressed" && <span className="text-warn-ink">{blockedWords(blocked)}</span>}
      {gaps.failed_imports > 0 && (
        <Link
          to="/w/$workspace/failures/rows"
          params={params}
          search={{ text: row.sku }}
          className={linkClass}
        >
          {incomplete({ count: gaps.failed_imports }, locale)}
        </Link>
      )}
      {gaps.unmatched_lines > 0 && (
        <Link
          to="/w/$workspace/tables/$slug"
          params={{ ...params, slug: "unmatched_lines" }}
          className={linkClass}
        >
          {unmatched({ count: gaps.unmatched_lines }, locale)}
        </Link>
      )}
      {gaps.waiting_lines > 0 && (
        <Link
          to="/w/$workspace/failures/rows"
          params={params}
          search={{ table: "orders" }}
          className={linkClass}
        >
          {waiting({ count: gaps.waiting_lines }, locale)}
        </Link>
      )}
      {gaps.implausible_lines > 0 && (
        <span className="text-warn-ink leading-6">
          {implausible({ count: gaps.implausible_lines }, locale)}
        </span>
      )}
      {gaps.implausible_dates > 0 && (
        <span className="text-warn-ink leading-6">{undated({ count: gaps.implausible_dates }, locale)}</span>
      )}
    </span>
  );
}
