import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import type { ListRows } from "@/lib/list-rows";
import { ErrorNote } from "./error-note";
import { LiveNote } from "./live-note";

interface ListStatesProps<T> {
  list: ListRows<T>;
  /** In place of the rows until they are known. */
  loading: ReactNode;
  children: (rows: readonly T[]) => ReactNode;
}

/**
 * What every list must tell apart, whatever its rows look like: nothing known yet, why nothing is
 * known, rows of the filter before, rows that could not be refreshed.
 */
export function ListStates<T>({ list, loading, children }: ListStatesProps<T>) {
  const { rows, former, error, refetch, live } = list;
  if (error && !rows) return <ErrorNote error={error} retry={refetch} />;
  return (
    <div className="min-w-0">
      <LiveNote {...live} />
      <div
        // What is looked up now may not hold these rows: they are shown, and nothing can be done to them.
        inert={former}
        aria-busy={former || !rows}
        className={cx(former && "opacity-50 transition-opacity delay-150")}
      >
        {rows ? children(rows) : loading}
      </div>
    </div>
  );
}
