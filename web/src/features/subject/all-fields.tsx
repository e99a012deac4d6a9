import { useState } from "react";
import { RecordFields } from "@/features/tables/record-fields";
import { Button } from "@/ui/button";
import { Part } from "./part";
import type { useRecord } from "./record";

export type Known = ReturnType<typeof useRecord>;

/** The record with its table, once both are there. */
export function loaded({ table, row, error, refetch }: Known) {
  return { data: table && row && { table, row }, error, refetch };
}

/** Every field of the record. They are many, so they are shown on request. */
export function AllFields({ record }: { record: Known }) {
  const [shown, setShown] = useState(false);
  return (
    <Part
      title="All fields"
      of={loaded(record)}
      actions={
        <Button size="sm" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? "Hide" : "Show"}
        </Button>
      }
    >
      {({ table, row }) =>
        shown ? (
          <RecordFields table={table} row={row} />
        ) : (
          <p className="text-muted">The record as its sources sent it, with all of its fields.</p>
        )
      }
    </Part>
  );
}
