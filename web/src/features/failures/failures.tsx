import { useQuery } from "@tanstack/react-query";
import { usePlace } from "@/lib/session";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { Frame } from "./frame";
import { GroupTable } from "./group-table";
import { ListActions } from "./list-actions";
import { NothingFailed } from "./nothing-failed";
import { countFailures } from "./open-count";
import { groupsQuery } from "./queries";
import { useFailureSearch } from "./use-search";

/** What failed, by table, reason and field: most of it is mended a group at a time. */
export function FailuresPage() {
  const { workspace } = usePlace();
  const { search, status } = useFailureSearch("groups");
  const { data, error, refetch } = useQuery(groupsQuery(workspace, status, search));
  return (
    <Frame
      view="groups"
      actions={<ListActions status={status} filter={search} total={countFailures(data)} />}
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={8} label="Loading the failed imports" />}
      {data && (
        <Card flush>
          {data.length > 0 ? <GroupTable groups={data} status={status} /> : <NothingFailed view="groups" />}
        </Card>
      )}
    </Frame>
  );
}
