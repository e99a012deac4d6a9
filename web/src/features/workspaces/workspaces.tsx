import { Plus } from "lucide-react";
import { useOpenWithDraft } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { Page } from "@/ui/page";
import { CreateDialog } from "./lazy-dialogs";
import { newWorkspace } from "./use-workspaces";
import { WorkspacesCard } from "./workspaces-card";

export function WorkspacesPage() {
  const { company, can } = usePlace();
  return (
    <Page
      title="Workspaces"
      description={`The parts of ${company.name}, each with records, keys and settings of its own.`}
      actions={can("manage_workspaces") && <CreateButton />}
    >
      <WorkspacesCard />
    </Page>
  );
}

function CreateButton() {
  const [creating, setCreating] = useOpenWithDraft(newWorkspace);
  const create = () => setCreating(true);
  useShortcuts([{ keys: "n", label: "New workspace", group: "Workspaces", run: create }]);
  return (
    <>
      <Button variant="primary" icon={<Plus aria-hidden />} onClick={create}>
        New workspace
      </Button>
      {creating && <CreateDialog onClosed={() => setCreating(false)} />}
    </>
  );
}
