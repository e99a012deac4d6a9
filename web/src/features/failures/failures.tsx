import { useQuery } from "@tanstack/react-query";
import { useWholeRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { Frame } from "./frame";
import { GroupList, groupId } from "./group-list";
import { ListActions } from "./list-actions";
import { countFailures } from "./open-count";
import { groupsQuery } from "./queries";
import { useFailureSearch } from "./use-search";

/** Failed imports grouped by table, reason and field, because most are fixed a group at a time. */
export function FailuresPage() {
  const { workspace } = usePlace();
  const { search, status } = useFailureSearch("groups");
  const options = groupsQuery(workspace, status, search);
  const query = useQuery(options);
  const list = useWholeRows(query, { queryKey: options.queryKey, rowsOf: (groups) => groups, idOf: groupId });
  return (
    <Frame
      view="groups"
      actions={<ListActions status={status} filter={search} total={countFailures(query.data)} />}
    >
      <GroupList list={list} status={status} />
    </Frame>
  );
}
