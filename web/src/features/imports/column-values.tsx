import type { Column, ImportColumn, Mapped, Replaced } from "@/api/types.gen";
import { lazyPart } from "@/ui/lazy-part";
import { asJson, draftFix } from "../failures/fixes";
import { allowed } from "../failures/values";

// Most files need none.
const ValueTable = lazyPart(async () => (await import("../failures/value-table")).ValueTable);

interface ColumnValuesProps {
  column: ImportColumn;
  /** The file is a workbook, whose TRUE and FALSE are booleans. */
  workbook: boolean;
  /** Where it goes. */
  target: Column;
  chosen: readonly Replaced[];
  onChange: (values: NonNullable<Mapped["values"]>) => void;
}

/** What the values of a column become, if some of them are not among those that its target takes. */
export function ColumnValues({ column, workbook, target, chosen, onChange }: ColumnValuesProps) {
  const items = (column.values ?? []).filter(({ value }) => !workbook || !/^"(TRUE|FALSE)"$/.test(value));
  if (items.every(({ value }) => allowed(target, value))) return null;
  return (
    <ValueTable
      field={target.name}
      title={`What ${column.from} becomes`}
      column={target}
      values={{ items }}
      fixes={chosen.map(({ from, to }) => draftFix({ do: "map", field: target.name, from, value: to }))}
      onChange={(fixes) =>
        onChange(fixes.map(({ from, value }) => ({ from: asJson(from), to: asJson(value) })))
      }
      counted="Records"
      note={`In the table: ${target.label}. A value that becomes nothing else is sent as it is.`}
    />
  );
}
