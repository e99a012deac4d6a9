import { useQuery } from "@tanstack/react-query";
import { getSourceOptions } from "@/api/@tanstack/react-query.gen";
import type { SecretKey } from "@/api/types.gen";
import { exampleRecord } from "@/features/sources/queries";
import { usePlace } from "@/lib/session";
import { ingestSnippets } from "@/lib/snippets";
import { everyTable } from "./queries";
import { Reveal } from "./reveal";

/** The table in the example call, if the key is for every table. */
const anyTable = "suppliers";

/** Shows a new key, once, with a ready call. */
export function RevealKey({ made, done }: { made: SecretKey; done: () => void }) {
  const { workspace } = usePlace();
  const slug = made.key.scope === everyTable ? anyTable : made.key.scope;
  const { data } = useQuery(getSourceOptions({ path: { workspace: workspace.id, slug } }));
  return (
    <Reveal
      label={`The key “${made.key.label}”`}
      secret={made.secret}
      use="Send a first record with it"
      codes={{
        label: "Calls in several languages",
        items: data && ingestSnippets(data.source.endpoint, made.secret, exampleRecord(data)),
      }}
      done={done}
    />
  );
}
