import type { Table } from "@/api/types.gen";
import { Card } from "@/ui/card";
import { kinds } from "./rules";

/** The columns that every company's table has. They cannot be changed. */
export function BuiltInColumns({ table }: { table: Table }) {
  const columns = table.columns.filter((one) => !one.custom && one.kind !== "system");
  return (
    <section className="mt-6">
      <h2 className="mb-2 font-medium text-ink">Built in</h2>
      <Card flush>
        <ul aria-label="Built-in columns" className="divide-y divide-line">
          {columns.map((column) => (
            <li key={column.name} className="px-4 py-2">
              <span className="font-mono text-muted text-sm">{column.name}</span>
              <span className="ml-3 text-subtle text-xs">
                {column.references
                  ? `A record of ${column.references}`
                  : kinds.find(({ value }) => value === column.type)?.label}
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </section>
  );
}
