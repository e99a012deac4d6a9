import type { ReactNode } from "react";
import { Card } from "@/ui/card";
import { Tabs } from "@/ui/tabs";

interface LiveEndedProps<T> {
  /** What they are: "key". */
  noun: string;
  items: readonly T[];
  ended: boolean;
  onEnded: (ended: boolean) => void;
  children: (shown: readonly T[], caption: string) => ReactNode;
}

/** What works and what has ended, on two tabs. */
export function LiveEnded<T extends { status: string }>({
  noun,
  items,
  ended,
  onEnded,
  children,
}: LiveEndedProps<T>) {
  const live = items.filter((one) => one.status === "live");
  const over = items.filter((one) => one.status !== "live");
  const shown = ended ? over : live;
  return (
    <Tabs
      label={`Which ${noun}s`}
      value={ended ? "ended" : "live"}
      onValueChange={(tab) => onEnded(tab === "ended")}
      tabs={[
        { value: "live", label: "Live", count: live.length },
        { value: "ended", label: "Ended", count: over.length },
      ]}
    >
      <Card flush>
        {shown.length > 0 ? (
          children(shown, `${ended ? "Ended" : "Live"} ${noun}s`)
        ) : (
          <p className="px-4 py-6 text-center text-muted">
            {ended ? `No ${noun} has ended.` : `No ${noun} is live.`}
          </p>
        )}
      </Card>
    </Tabs>
  );
}
