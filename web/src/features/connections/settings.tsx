import { useQuery } from "@tanstack/react-query";
import type { Connection } from "@/api/types.gen";
import { useOpenWithDraft } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { lazyDialog } from "@/ui/lazy-dialog";
import { locationsOf, settingsOf } from "./queries";
import { may } from "./words";

const SettingsDialog = lazyDialog(async () => (await import("./settings-dialog")).SettingsDialog);

/** What a connection may do, and where goods arrive. */
export function SettingsCard({ connection }: { connection: Connection }) {
  const { workspace } = usePlace();
  const [changing, setChanging] = useOpenWithDraft(settingsOf(connection.id));
  const { data } = useQuery(locationsOf(workspace.id, connection));
  const { location } = connection;
  const name = data?.items.find(({ id }) => id === location)?.name;
  return (
    <Card
      title="Settings"
      actions={
        <Button size="sm" onClick={() => setChanging(true)}>
          Change settings…
        </Button>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <dt className="text-muted">It may</dt>
        <dd>{may(connection)}</dd>
        <dt className="text-muted">Location</dt>
        <dd>
          {location ? (name ?? `Location ${location}`) : <span className="text-muted">not chosen yet</span>}
        </dd>
        <dt className="text-muted">Calls a minute</dt>
        <dd className="tabular-nums">{connection.calls_per_minute}</dd>
      </dl>
      {changing && <SettingsDialog connection={connection} onClosed={() => setChanging(false)} />}
    </Card>
  );
}
