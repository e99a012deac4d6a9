import { Link } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import type { Workspace } from "@/api/types.gen";
import { useOpenWithDraft } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { SkeletonRows } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { EditDialog } from "./lazy-dialogs";
import { editedWorkspace, useWorkspaces } from "./use-workspaces";
import { weekdayNames } from "./weekdays";

// On a narrow screen the settings are below the name. Applies to skeletons too.
const columns =
  "max-lg:[&>tr>:nth-child(2)]:hidden max-lg:[&>tr>:nth-child(3)]:hidden max-lg:[&>tr>:nth-child(4)]:hidden max-lg:[&>tr>:nth-child(5)]:hidden";

export function WorkspacesCard() {
  const { can } = usePlace();
  const { data, error, refetch } = useWorkspaces();
  const manages = can("manage_workspaces");
  if (error && !data) {
    return (
      <Card>
        <ErrorNote error={error} retry={refetch} />
      </Card>
    );
  }
  return (
    <Card flush>
      <Table caption="Workspaces">
        <thead className={columns}>
          <tr>
            <Th>Name</Th>
            <Th>Time zone</Th>
            <Th>Currency</Th>
            <Th>Locale</Th>
            <Th>Week starts on</Th>
            {manages && (
              <Th className="w-0">
                <span className="sr-only">Actions</span>
              </Th>
            )}
          </tr>
        </thead>
        <tbody className={columns}>
          {data?.items.map((one) => <WorkspaceRow key={one.id} workspace={one} manages={manages} />) ?? (
            <SkeletonRows rows={2} columns={manages ? 6 : 5} />
          )}
        </tbody>
      </Table>
    </Card>
  );
}

function WorkspaceRow({ workspace, manages }: { workspace: Workspace; manages: boolean }) {
  const place = usePlace();
  const [editing, setEditing] = useOpenWithDraft(editedWorkspace(workspace.id));
  const { id, name, time_zone, base_currency, locale, week_start } = workspace;
  return (
    <Tr>
      <Td className="w-full max-w-0 max-lg:py-2 lg:w-2/5">
        <span className="flex min-w-0 items-center gap-2">
          <Link
            to="/w/$workspace"
            params={{ workspace: id }}
            className="truncate rounded-sm font-medium text-accent-ink hover:underline"
          >
            {name}
          </Link>
          {id === place.workspace.id && <Badge>You are here</Badge>}
        </span>
        <span className="block text-muted text-xs lg:hidden">
          {time_zone} · {base_currency} · {locale} · week from {weekdayNames[week_start]}
        </span>
      </Td>
      <Td className="text-muted">{time_zone}</Td>
      <Td className="text-muted">{base_currency}</Td>
      <Td className="text-muted">{locale}</Td>
      <Td className="text-muted">{weekdayNames[week_start]}</Td>
      {manages && (
        <Td className="text-right">
          <IconButton
            label={`Edit ${name}`}
            icon={<Pencil aria-hidden />}
            size="sm"
            onClick={() => setEditing(true)}
          />
          {editing && <EditDialog workspace={workspace} onClosed={() => setEditing(false)} />}
        </Td>
      )}
    </Tr>
  );
}
