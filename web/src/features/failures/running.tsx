import { useEffect, useRef } from "react";
import type { Bulk } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { storedOf } from "@/messages/failures";
import { Card } from "@/ui/card";
import { lazyPart } from "@/ui/lazy-part";
import { toast } from "@/ui/toast";
import { isGoing, useBulkQuery } from "./bulk-queries";

const BulkCard = lazyPart(async () => (await import("./bulk-card")).BulkCard);

/** The running bulk retries, above the lists. */
export function Running() {
  const { data } = useBulkQuery();
  const going = data?.filter(isGoing) ?? [];
  useEnded(data);
  if (going.length === 0) return null;
  return (
    <Card flush className="mb-4">
      <div className="divide-y divide-line">
        {going.map((bulk) => (
          <BulkCard key={bulk.id} bulk={bulk} />
        ))}
      </div>
    </Card>
  );
}

/** Reports the end of bulk retries that were running while this page was open. */
function useEnded(bulks: Bulk[] | undefined) {
  const watched = useRef(new Set<string>());
  const { locale } = useLocale();
  useEffect(() => {
    for (const bulk of bulks ?? []) {
      if (isGoing(bulk)) watched.current.add(bulk.id);
      else if (watched.current.delete(bulk.id)) announce(bulk, locale);
    }
  }, [bulks, locale]);
}

function announce({ status, total, succeeded, message }: Bulk, locale: string) {
  const title = storedOf({ done: succeeded, total }, locale);
  if (status === "failed")
    toast.error({ title: "The bulk retry stopped with an error", ...(message && { cause: message }) });
  else if (status === "cancelled") toast.success("The bulk retry is cancelled", { description: title });
  else toast.success("The bulk retry is done", { description: title });
}
