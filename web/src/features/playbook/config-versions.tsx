import { useQuery } from "@tanstack/react-query";
import { listPlaybookConfigVersionsOptions } from "@/api/@tanstack/react-query.gen";
import type { ConfigVersion } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Versions } from "./versions";

/** The values of a version, one in each line, for comparison. */
const asText = ({ values }: ConfigVersion) =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${value ?? "none"}`)
    .sort()
    .join("\n");

export function ConfigVersions() {
  const { workspace } = usePlace();
  const list = useQuery(listPlaybookConfigVersionsOptions({ path: { workspace: workspace.id } }));
  return (
    <Versions
      list={list}
      textOf={asText}
      about={({ effective_from }) => (effective_from ? `takes effect on ${effective_from}` : undefined)}
      empty="Nothing was changed yet: all values are the defaults."
    />
  );
}
