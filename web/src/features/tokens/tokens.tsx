import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Bot, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { LiveEnded } from "@/features/keys/live-ended";
import { ViewsButton } from "@/features/views/views-button";
import { useWholeRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty-state";
import { Page } from "@/ui/page";
import { CreateToken } from "./create-token";
import { tokensQuery } from "./queries";
import { TokenList } from "./token-list";

const Connect = lazy(async () => ({ default: (await import("./connect")).Connect }));

/** The tokens of assistants and agents: all for people who manage them, otherwise one's own. */
export function TokensPage() {
  const { workspace } = usePlace();
  const options = tokensQuery(workspace.id);
  const list = useWholeRows(useQuery(options), {
    queryKey: options.queryKey,
    rowsOf: ({ items }) => items,
    idOf: ({ id }) => id,
  });
  const { ended, view } = useSearch({ from: "/inside/w/$workspace/tokens" });
  const go = useNavigate();
  const [creating, setCreating] = useState(false);
  useShortcuts([{ keys: "n", label: "Create a token", run: () => setCreating(true) }]);
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Create token
    </Button>
  );
  return (
    <Page
      title="Assistants"
      description="Tokens for assistants and agents that work in this workspace. Each is shown once."
      actions={
        list.rows &&
        list.rows.length > 0 && (
          <>
            <ViewsButton of="tokens" view={view} />
            {create}
          </>
        )
      }
    >
      <LiveEnded
        noun="token"
        list={list}
        ended={ended === true}
        onEnded={(over) =>
          void go({
            to: "/w/$workspace/tokens",
            params: { workspace: workspace.id },
            search: { ...(over && { ended: true }), ...(view && { view }) },
            replace: true,
          })
        }
        empty={
          <EmptyState
            icon={<Bot aria-hidden />}
            action={create}
            docs={{ href: "/docs/mcp", label: "How tokens work" }}
          >
            With a token, an assistant such as Claude or Cursor answers questions from your tables, drafts
            orders and helps with failed imports, within your role. It never approves anything.
          </EmptyState>
        }
      >
        {(shown) => <TokenList {...shown} />}
      </LiveEnded>
      <Suspense>
        <Connect />
      </Suspense>
      <CreateToken open={creating} onOpenChange={setCreating} />
    </Page>
  );
}
