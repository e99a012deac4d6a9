import { TriangleAlert } from "lucide-react";
import type { Stale } from "@/api/types.gen";
import { useNow } from "@/lib/live";
import { useLocale } from "@/lib/locale";
import { sinceTime } from "./words";

const subjects: Record<Stale["part"], string> = {
  product_demand: "The demand is",
  procurement_queue: "What to order is",
};

/** Since when something is not computed: what came later is missing in all that is shown here. */
export function StaleNote({ stale }: { stale: Stale | undefined }) {
  const { locale, timeZone } = useLocale();
  const now = useNow();
  if (!stale) return null;
  return (
    <p
      role="status"
      className="flex items-start gap-2 rounded-md border border-bad-ink/40 bg-bad-soft px-3 py-2 font-medium text-bad-ink"
    >
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <span>
        {subjects[stale.part]} not computed since{" "}
        <time dateTime={stale.since}>
          {sinceTime(new Date(stale.since), new Date(now), locale, timeZone)}
        </time>
        . What came later is missing here.
      </span>
    </p>
  );
}
