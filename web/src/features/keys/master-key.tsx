import { useState } from "react";
import type { Key } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { CreateKey } from "./create-key";
import { KeyList } from "./key-list";
import { MasterWarning } from "./master-warning";
import { everyTable, useKeys } from "./queries";

const isMaster = (key: Key) => key.scope === everyTable && key.status === "live";

/** The key for every table, apart from the other keys and with a warning. */
export function MasterKey() {
  const list = useKeys({ wanted: isMaster });
  const [creating, setCreating] = useState(false);
  return (
    <Card
      title="Master Import Key"
      description="One key for every table, for a first import or a system that feeds many tables."
      actions={<Button onClick={() => setCreating(true)}>Create Master Import Key</Button>}
      className="mt-6"
    >
      <MasterWarning />
      {list.rows && list.rows.length > 0 && (
        <div className="-mx-4 -mb-4 mt-3 border-line border-t">
          <KeyList bare caption="Live Master Import Keys" list={list} empty={null} />
        </div>
      )}
      <CreateKey scope={everyTable} open={creating} onOpenChange={setCreating} />
    </Card>
  );
}
