import { useState } from "react";
import type { Key } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { LiveNote } from "@/ui/live-note";
import { CreateKey } from "./create-key";
import { KeyTable } from "./key-table";
import { MasterWarning } from "./master-warning";
import { everyTable, useKeys } from "./queries";

const isMaster = (key: Key) => key.scope === everyTable && key.status === "live";

/** The key that opens every table, apart from the others and with a warning. */
export function MasterKey() {
  const { list, rows, ...live } = useKeys({ wanted: isMaster });
  const [creating, setCreating] = useState(false);
  return (
    <Card
      title="Master Import Key"
      description="One key for every table, for a first import or a system that feeds many tables."
      actions={<Button onClick={() => setCreating(true)}>Create Master Import Key</Button>}
      className="mt-6"
    >
      <MasterWarning />
      {rows && rows.length > 0 && (
        <div className="-mx-4 -mb-4 mt-3 border-line border-t">
          <LiveNote of={list} {...live} />
          <KeyTable caption="Live Master Import Keys" keys={rows} />
        </div>
      )}
      <CreateKey scope={everyTable} open={creating} onOpenChange={setCreating} />
    </Card>
  );
}
