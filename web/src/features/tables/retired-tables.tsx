import { useMutation, useQuery } from "@tanstack/react-query";
import { restoreTableMutation } from "@/api/@tanstack/react-query.gen";
import type { TableDefinition } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { definitionsQuery, inUse, useReloadDefinitions } from "./definitions";

/** The company's retired tables, which can be brought back. */
export function RetiredTables() {
  const { company } = usePlace();
  const { data } = useQuery(definitionsQuery(company.id));
  const retired = data?.items.filter((one) => !inUse(one)) ?? [];
  if (retired.length === 0) return null;
  return (
    <section className="mt-6">
      <h2 className="mb-2 font-medium text-ink">Retired</h2>
      <Card flush>
        <ul aria-label="Retired tables" className="divide-y divide-line">
          {retired.map((table) => (
            <RetiredTable key={table.slug} table={table} />
          ))}
        </ul>
      </Card>
    </section>
  );
}

function RetiredTable({ table }: { table: TableDefinition }) {
  const { company } = usePlace();
  const { mutateAsync, isPending, error } = useMutation(restoreTableMutation());
  const reload = useReloadDefinitions();
  const path = { tenant: company.id, definition: table.slug };
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-3">
      <span className="flex-1 text-muted">{table.name}</span>
      <Button
        size="sm"
        loading={isPending}
        aria-label={`Bring ${table.name} back`}
        onClick={() =>
          void mutateAsync({ path, headers: { "If-Match": `"${table.version}"` } })
            .then(reload)
            .catch(() => undefined)
        }
      >
        Bring back
      </Button>
      {error && <ErrorNote error={error} />}
    </li>
  );
}
