import { Plus } from "lucide-react";
import type { Table } from "@/api/types.gen";
import { useOpenWithDraft } from "@/lib/edit";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { lazyDialog } from "@/ui/lazy-dialog";

const NewRecord = lazyDialog(async () => (await import("./new-record")).NewRecord);

/** Names the draft of a new record. */
export const newRecordOf = (table: string) => `new-record/${table}`;

/** Opens the form of a new record; opens it at once if a draft was stored. */
export function NewRecordButton({ table }: { table: Table }) {
  const [open, setOpen] = useOpenWithDraft(newRecordOf(table.slug));
  useShortcuts([{ keys: "n", label: "New record", group: "Table", run: () => setOpen(true) }]);
  return (
    <>
      <Button size="sm" variant="primary" icon={<Plus aria-hidden />} onClick={() => setOpen(true)}>
        New
      </Button>
      {open && <NewRecord table={table} onClose={() => setOpen(false)} />}
    </>
  );
}
