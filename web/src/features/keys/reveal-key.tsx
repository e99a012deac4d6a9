import { useQuery } from "@tanstack/react-query";
import { getSourceOptions } from "@/api/@tanstack/react-query.gen";
import type { SecretKey } from "@/api/types.gen";
import { exampleRecord } from "@/features/sources/queries";
import { usePlace } from "@/lib/session";
import { ingestSnippets } from "@/lib/snippets";
import { Secret } from "@/ui/secret";
import { Snippet } from "@/ui/snippet";
import { everyTable } from "./queries";

/** A table to show a call for when the key opens all of them. */
const anyTable = "suppliers";

/** The one time that a key is shown, with a call that works as it stands. */
export function RevealKey({ made, done }: { made: SecretKey; done: () => void }) {
  const { workspace } = usePlace();
  const slug = made.key.scope === everyTable ? anyTable : made.key.scope;
  const { data } = useQuery(getSourceOptions({ path: { workspace: workspace.id, slug } }));
  return (
    <div className="flex flex-col gap-4">
      <Secret label={`The key “${made.key.label}”`} value={made.secret} onSaved={done} />
      {data && (
        <div className="min-w-0">
          <p className="mb-1.5 font-medium text-ink">Send a first record with it</p>
          <Snippet
            label="Calls in several languages"
            codes={ingestSnippets(data.source.endpoint, made.secret, exampleRecord(data))}
            secret={made.secret}
          />
        </div>
      )}
    </div>
  );
}
