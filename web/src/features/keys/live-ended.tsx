import type { ReactNode } from "react";
import type { ListRows } from "@/lib/list-rows";
import { Card } from "@/ui/card";
import type { DataListProps } from "@/ui/data-list";
import { Tabs } from "@/ui/tabs";

interface LiveEndedProps<T> {
  /** The word for one of them, such as "key". */
  noun: string;
  list: ListRows<T>;
  ended: boolean;
  onEnded: (ended: boolean) => void;
  /** Shown if there are none at all. */
  empty: ReactNode;
  children: (shown: Pick<DataListProps<T>, "caption" | "list" | "empty">) => ReactNode;
}

/** Two tabs, for live and for ended keys or tokens. */
export function LiveEnded<T extends { status: string }>(props: LiveEndedProps<T>) {
  const { noun, list, ended, onEnded, empty, children } = props;
  const { rows } = list;
  if (rows?.length === 0) return <Card>{empty}</Card>;
  const live = rows?.filter((one) => one.status === "live");
  const over = rows?.filter((one) => one.status !== "live");
  return (
    <Tabs
      label={`Which ${noun}s`}
      value={ended ? "ended" : "live"}
      onValueChange={(tab) => onEnded(tab === "ended")}
      tabs={[
        { value: "live", label: "Live", ...(live && { count: live.length }) },
        { value: "ended", label: "Ended", ...(over && { count: over.length }) },
      ]}
    >
      {children({
        caption: `${ended ? "Ended" : "Live"} ${noun}s`,
        list: { ...list, rows: ended ? over : live },
        empty: (
          <p className="px-4 py-6 text-center text-muted">
            {ended ? `No ${noun} has ended.` : `No ${noun} is live.`}
          </p>
        ),
      })}
    </Tabs>
  );
}
