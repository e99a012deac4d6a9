import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { CreateKey } from "./create-key";
import { KeyTable } from "./key-table";
import { MasterWarning } from "./master-warning";
import { everyTable, keysQuery } from "./queries";

/** The key that opens every table, apart from the others and with a warning. */
export function MasterKey() {
  const { workspace } = usePlace();
  const { data } = useQuery(keysQuery(workspace.id));
  const [creating, setCreating] = useState(false);
  const masters = data?.items.filter((key) => key.scope === everyTable && key.status === "live") ?? [];
  return (
    <Card
      title="Master Import Key"
      description="One key for every table, for a first import or a system that feeds many tables."
      actions={<Button onClick={() => setCreating(true)}>Create Master Import Key</Button>}
      className="mt-6"
    >
      <MasterWarning />
      {masters.length > 0 && (
        <div className="-mx-4 -mb-4 mt-3 border-line border-t">
          <KeyTable caption="Live Master Import Keys" keys={masters} />
        </div>
      )}
      <CreateKey scope={everyTable} open={creating} onOpenChange={setCreating} />
    </Card>
  );
}
