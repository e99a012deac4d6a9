import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, Clock, GitCompareArrows, TriangleAlert } from "lucide-react";
import { listConflictsOptions } from "@/api/@tanstack/react-query.gen";
import type { DataHealth as Health } from "@/api/types.gen";
import { useNow } from "@/lib/live";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { relativeTime } from "@/lib/time";
import { conflictsOpen } from "@/messages/exchange";
import { implausibleOrders, missing, refused } from "@/messages/today";
import { sumsText } from "./parts";

const line = "flex min-h-6 items-start gap-2 rounded-sm [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0";

/** What is wrong with the data that the figures follow from, in a line. */
export function DataHealth({ data }: { data: Health }) {
  const { locale } = useLocale();
  const params = { workspace: usePlace().workspace.id };
  const now = useNow();
  const cut = Number(data.orders_cut);
  return (
    <section aria-label="Data health" className="flex flex-wrap gap-x-6 gap-y-1">
      {data.refused === 0 ? (
        <p className={`${line} text-good-ink`}>
          <CircleCheck aria-hidden />
          No record is refused.
        </p>
      ) : (
        <Link
          to="/w/$workspace/failures"
          params={params}
          className={`${line} text-warn-ink tabular-nums hover:underline`}
        >
          <TriangleAlert aria-hidden />
          <span>
            {data.refused_cut && "More than "}
            {refused({ count: data.refused }, locale)}
            {data.orders > 0 &&
              `: ${missing({ cut, orders: data.orders, worth: sumsText(data.worth, locale) }, locale)}`}
            {data.left_out > 0 && `; ${implausibleOrders({ count: data.left_out }, locale)}`}.
          </span>
        </Link>
      )}
      {data.stock_at && (
        <Link
          to="/w/$workspace/sources/$slug"
          params={{ ...params, slug: "products" }}
          className={`${line} text-warn-ink hover:underline`}
        >
          <Clock aria-hidden />
          <span>
            Stock may be old: the last record of an article came{" "}
            {relativeTime(new Date(data.stock_at), new Date(now), locale)}.
          </span>
        </Link>
      )}
      <OpenConflicts />
    </section>
  );
}

/** Orders that a connected system has otherwise. */
function OpenConflicts() {
  const { locale } = useLocale();
  const path = { workspace: usePlace().workspace.id };
  const { data } = useQuery(listConflictsOptions({ path, query: { limit: 1 } }));
  if (!data?.open) return null;
  return (
    <Link
      to="/w/$workspace/conflicts"
      params={path}
      className={`${line} text-warn-ink tabular-nums hover:underline`}
    >
      <GitCompareArrows aria-hidden />
      <span>{conflictsOpen({ count: data.open }, locale)}.</span>
    </Link>
  );
}
