import { useCallback, useMemo, useState } from "react";
import { useDrafts } from "@/lib/edit";
import { cellsOf } from "./use-cell-edit";

/** A cell whose editor is open, identified by record and column, not by position. */
export interface CellEdit {
  record: string;
  column: string;
}

/**
 * The cells of a table that are edited: usually one, and those whose change is still being saved,
 * was refused, or was restored.
 */
export function useCellEdits(table: string) {
  const drafts = useDrafts();
  const [edits, setEdits] = useState<readonly CellEdit[]>(() =>
    drafts(cellsOf(table)).map((thing) => {
      const [record = "", column = ""] = thing.slice(cellsOf(table).length).split("/");
      return { record, column };
    }),
  );
  const begin = useCallback((record: string, column: string) => {
    setEdits((all) =>
      all.some((one) => one.record === record && one.column === column) ? all : [...all, { record, column }],
    );
  }, []);
  /** Ends this edit only: a late answer must not close the editor of another cell. */
  const end = useCallback((edit: CellEdit) => setEdits((all) => all.filter((one) => one !== edit)), []);
  const byRecord = useMemo(() => Map.groupBy(edits, (one) => one.record), [edits]);
  return { edits, begin, end, editsOf: (record: string) => byRecord.get(record) };
}
