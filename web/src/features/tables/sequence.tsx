import { useMutation } from "@tanstack/react-query";
import { changeTableDefinitionMutation } from "@/api/@tanstack/react-query.gen";
import type { TableDefinition } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { inUse, useReloadDefinitions } from "./definitions";

/** Stands for no column. No column has this name. */
const none = "-";

/** Which of a record's deliveries counts: the last one, or the one with the greatest value of a column. */
export function Sequence({ table }: { table: TableDefinition }) {
  const { company } = usePlace();
  const { mutateAsync, isPending, error } = useMutation(changeTableDefinitionMutation());
  const reload = useReloadDefinitions();
  const columns = table.columns.filter(
    (one) => inUse(one) && !one.people_only && ["date", "datetime", "number"].includes(one.type),
  );
  if (table.built_in || columns.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Of several deliveries of a record, this one counts"
        hint="With a column, a delivery that is older than what is stored changes nothing, however late it arrives."
      >
        <Select
          className="max-w-md"
          disabled={isPending}
          value={table.sequence ?? none}
          options={[
            { value: none, label: "The last one to arrive" },
            ...columns.map(({ name }) => ({ value: name, label: `The one with the greatest ${name}` })),
          ]}
          onValueChange={(name) =>
            void mutateAsync({
              path: { tenant: company.id, definition: table.slug },
              headers: { "If-Match": `"${table.version}"` },
              body: { sequence: name === none ? "" : name },
            })
              .then(reload)
              .catch(() => undefined)
          }
        />
      </Field>
      {error && <ErrorNote error={error} />}
    </div>
  );
}
