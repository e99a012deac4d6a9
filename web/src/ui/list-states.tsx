import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import type { ListRows } from "@/lib/list-rows";
import { ErrorNote } from "./error-note";
import { LiveNote } from "./live-note";

interface ListStatesProps<T> {
  list: ListRows<T>;
  /** Shown until the rows are loaded. */
  loading: ReactNode;
  children: (rows: readonly T[]) => ReactNode;
}

/**
 * The states of every list: loading, failed to load, rows of the previous filter, rows that could
 * not be refreshed.
 */
export function ListStates<T>({ list, loading, children }: ListStatesProps<T>) {
  const { rows, previous, error, refetch, live } = list;
  if (error && !rows) return <ErrorNote error={error} retry={refetch} />;
  return (
    <div className="min-w-0">
      <LiveNote {...live} />
      <div
        // The new filter may not match these rows: they stay visible, but cannot be used.
        inert={previous}
        aria-busy={previous || !rows}
        className={cx(previous && "opacity-50 transition-opacity delay-150")}
      >
        {rows ? children(rows) : loading}
      </div>
    </div>
  );
}
