import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Bot, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { LiveEnded } from "@/features/keys/live-ended";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { useSteadyRows } from "@/lib/steady-rows";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { CreateToken } from "./create-token";
import { tokensQuery } from "./queries";
import { TokenTable } from "./token-table";

const Connect = lazy(async () => ({ default: (await import("./connect")).Connect }));

/** The tokens of assistants and agents: everybody's for who manages them, else one's own. */
export function TokensPage() {
  const { workspace } = usePlace();
  const options = tokensQuery(workspace.id);
  const list = useQuery(options);
  const { data, error, refetch } = list;
  const { rows, ...live } = useSteadyRows({
    queryKey: options.queryKey,
    data,
    rowsOf: ({ items }) => items,
    idOf: ({ id }) => id,
  });
  const { ended } = useSearch({ from: "/inside/w/$workspace/tokens" });
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
      description="Tokens with which assistants and agents work in this workspace. Each is shown once."
      actions={rows && rows.length > 0 ? create : undefined}
    >
      {error && !rows && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={list} {...live} />
      {!rows && !error && <SkeletonText lines={6} label="Loading the tokens" />}
      {rows?.length === 0 && (
        <Card>
          <EmptyState
            icon={<Bot aria-hidden />}
            action={create}
            docs={{ href: "/docs#createToken", label: "How tokens work" }}
          >
            With a token, an assistant such as Claude or Cursor answers questions from your tables, drafts
            orders and helps with failed imports, within your role. It never approves anything.
          </EmptyState>
        </Card>
      )}
      {rows && rows.length > 0 && (
        <LiveEnded
          noun="token"
          items={rows}
          ended={ended === true}
          onEnded={(over) =>
            void go({
              to: "/w/$workspace/tokens",
              params: { workspace: workspace.id },
              search: over ? { ended: true } : {},
              replace: true,
            })
          }
        >
          {(shown, caption) => <TokenTable caption={caption} tokens={shown} />}
        </LiveEnded>
      )}
      <Suspense>
        <Connect />
      </Suspense>
      <CreateToken open={creating} onOpenChange={setCreating} />
    </Page>
  );
}
