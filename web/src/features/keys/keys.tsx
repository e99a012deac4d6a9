import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { ViewsButton } from "@/features/views/views-button";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty-state";
import { Page } from "@/ui/page";
import { CreateKey } from "./create-key";
import { KeyList } from "./key-list";
import { LiveEnded } from "./live-ended";
import { useKeys } from "./queries";

/** Every key of the workspace. */
export function KeysPage() {
  const { workspace, can } = usePlace();
  const allowed = can("manage_keys");
  const list = useKeys({ enabled: allowed });
  const { ended, view } = useSearch({ from: "/inside/w/$workspace/keys" });
  const go = useNavigate();
  const [creating, setCreating] = useState(false);
  useShortcuts(allowed ? [{ keys: "n", label: "Create a key", run: () => setCreating(true) }] : []);
  if (!allowed)
    return (
      <Page title="API keys">
        <p className="text-base text-muted">
          Only Company-Admins can see and create keys. Ask one when a system needs to send records.
        </p>
      </Page>
    );
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      description="Secrets that external systems send with their records. Each is shown once."
      actions={
        list.rows &&
        list.rows.length > 0 && (
          <>
            <ViewsButton of="keys" view={view} />
            {create}
          </>
        )
      }
    >
      <LiveEnded
        noun="key"
        list={list}
        ended={ended === true}
        onEnded={(over) =>
          void go({
            to: "/w/$workspace/keys",
            params: { workspace: workspace.id },
            search: { ...(over && { ended: true }), ...(view && { view }) },
            replace: true,
          })
        }
        empty={
          <EmptyState
            icon={<KeyRound aria-hidden />}
            action={create}
            docs={{ href: "/docs/ingest", label: "How keys work" }}
          >
            No keys yet. A system needs a key to send records.
          </EmptyState>
        }
      >
        {(shown) => <KeyList {...shown} withScope />}
      </LiveEnded>
      <CreateKey open={creating} onOpenChange={setCreating} />
    </Page>
  );
}
