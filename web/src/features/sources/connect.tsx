import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import type { SourceDetail } from "@/api/types.gen";
import { CreateKey } from "@/features/keys/create-key";
import { KeyList } from "@/features/keys/key-list";
import { everyTable, keysQuery, useKeys } from "@/features/keys/queries";
import { usePlace } from "@/lib/session";
import { ingestSnippets, keyPlaceholder } from "@/lib/snippets";
import { masterKeys } from "@/messages/sources";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { Snippet } from "@/ui/snippet";
import { exampleRecord } from "./queries";

/** How a system sends records to this table. */
export function Connect({ detail }: { detail: SourceDetail }) {
  const { can } = usePlace();
  const { source } = detail;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Card title="Send a record" description="One record per call. Sending it again changes nothing.">
        <Snippet
          label="Calls in several languages"
          codes={ingestSnippets(source.endpoint, keyPlaceholder, exampleRecord(detail))}
        />
        <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
          <dt className="text-muted">Conflict key</dt>
          <dd>
            <code className="text-xs">{source.conflict_key.join(" + ")}</code>
            <span className="block text-subtle text-xs">
              A record with a known key updates its row; a record with a new key creates one.
            </span>
          </dd>
          <dt className="text-muted">Required scope</dt>
          <dd>
            <code className="text-xs">{source.required_scope}</code> or <code className="text-xs">*</code>
          </dd>
          <dt className="text-muted">Event</dt>
          <dd>
            <code className="text-xs">{source.event_type}</code>
          </dd>
        </dl>
      </Card>
      {can("manage_keys") && <SourceKeys slug={source.slug} title={source.title} />}
    </div>
  );
}

function SourceKeys({ slug, title }: { slug: string; title: string }) {
  const [creating, setCreating] = useState(false);
  const { workspace } = usePlace();
  const list = useKeys({ wanted: (key) => key.scope === slug && key.status === "live" });
  const all = useQuery(keysQuery(workspace.id)).data?.items;
  const masters = all?.filter((key) => key.scope === everyTable && key.status === "live").length ?? 0;
  const create = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Create a key
    </Button>
  );
  return (
    <>
      <KeyList
        caption={`Live keys for ${title}`}
        title={`Keys for ${title}`}
        actions={list.rows && list.rows.length > 0 ? create : undefined}
        footer={masters > 0 ? masterKeys({ count: masters }, workspace.locale) : undefined}
        list={list}
        empty={
          <EmptyState
            icon={<KeyRound aria-hidden />}
            action={create}
            docs={{ href: "/docs/ingest", label: "How keys work" }}
          >
            A key that can write to this table and to nothing else.
          </EmptyState>
        }
      />
      <CreateKey scope={slug} open={creating} onOpenChange={setCreating} />
    </>
  );
}
