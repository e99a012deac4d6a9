import { useQuery } from "@tanstack/react-query";
import { usePlace } from "@/lib/session";
import { useSteadyRows } from "@/lib/steady-rows";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { SkeletonText } from "@/ui/skeleton";
import { Frame } from "./frame";
import { GroupTable, groupId } from "./group-table";
import { ListActions } from "./list-actions";
import { NothingFailed } from "./nothing-failed";
import { countFailures } from "./open-count";
import { groupsQuery } from "./queries";
import { useFailureSearch } from "./use-search";

/** What failed, by table, reason and field: most of it is mended a group at a time. */
export function FailuresPage() {
  const { workspace } = usePlace();
  const { search, status } = useFailureSearch("groups");
  const options = groupsQuery(workspace, status, search);
  const query = useQuery(options);
  const { data, error, refetch } = query;
  const { rows, ...live } = useSteadyRows({
    queryKey: options.queryKey,
    data,
    rowsOf: (groups) => groups,
    idOf: groupId,
  });
  return (
    <Frame
      view="groups"
      actions={<ListActions status={status} filter={search} total={countFailures(data)} />}
    >
      {error && !rows && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={query} {...live} />
      {!rows && !error && <SkeletonText lines={8} label="Loading the failed imports" />}
      {rows && (
        <Card flush>
          {rows.length > 0 ? <GroupTable groups={rows} status={status} /> : <NothingFailed view="groups" />}
        </Card>
      )}
    </Frame>
  );
}
