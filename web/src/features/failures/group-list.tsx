import { Link } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import type { FailureGroup } from "@/api/types.gen";
import type { ListRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { Num } from "@/ui/num";
import { Time } from "@/ui/time";
import { type FailureStatus, forOtherList, groupFilter } from "./filter";
import { NothingFailed } from "./nothing-failed";
import { useTables } from "./queries";
import { Reason } from "./reason";
import { messageBeside } from "./reasons";
import { useFailureSearch, views } from "./use-search";

export const groupId = (group: FailureGroup) => `${group.slug} ${group.code} ${group.field}`;

interface GroupListProps {
  list: ListRows<FailureGroup>;
  status: FailureStatus;
}

export function GroupList({ list, status }: GroupListProps) {
  const { can } = usePlace();
  const { search, go } = useFailureSearch("groups");
  const title = useTables();
  const fixable = status === "open" && can("retry_failures");
  return (
    <DataList
      caption={`Groups of ${status} failed imports`}
      noun="group"
      list={list}
      idOf={groupId}
      nameOf={groupId}
      columns={fixable ? [...columns(title), fix] : columns(title)}
      empty={<NothingFailed view="groups" />}
      onOpen={(group) => go({ ...forOtherList(search), ...groupFilter(group) }, { view: "rows" })}
    />
  );
}

const columns = (title: (slug: string) => string): Column<FailureGroup>[] => [
  {
    id: "reason",
    head: "Reason",
    className: "w-full max-w-0 py-2",
    cell: (group) => (
      <>
        <GroupLink group={group} />
        <span className="block truncate text-muted text-xs" title={group.message}>
          {messageBeside(group.field, group.message)}
        </span>
        <span className="flex gap-2 text-subtle text-xs md:hidden">
          <span className="truncate">{title(group.slug)}</span>
          <Time value={group.last_seen_at} />
        </span>
      </>
    ),
  },
  {
    id: "table",
    head: "Table",
    className: "whitespace-nowrap max-md:hidden",
    cell: (group) => title(group.slug),
  },
  {
    id: "failures",
    head: "Failures",
    num: true,
    cell: (group) => <Num value={group.failures} className="font-medium" />,
  },
  {
    id: "seen",
    head: "Seen",
    num: true,
    className: "text-muted max-lg:hidden",
    cell: (group) => <Num value={group.seen} />,
  },
  {
    id: "first",
    head: "First seen",
    className: "text-muted max-lg:hidden",
    cell: (group) => <Time value={group.first_seen_at} />,
  },
  {
    id: "last",
    head: "Last seen",
    className: "text-muted max-md:hidden",
    cell: (group) => <Time value={group.last_seen_at} />,
  },
];

const fix: Column<FailureGroup> = {
  id: "fix",
  head: "Actions",
  hiddenHead: true,
  className: "max-md:hidden",
  cell: (group) => <FixLink group={group} />,
};

function GroupLink({ group }: { group: FailureGroup }) {
  const { workspace } = usePlace();
  const { search } = useFailureSearch("groups");
  return (
    <Link
      to={views.rows}
      params={{ workspace: workspace.id }}
      search={{ ...forOtherList(search), ...groupFilter(group) }}
      className="block max-w-full truncate rounded-sm"
    >
      <Reason code={group.code} field={group.field} />
    </Link>
  );
}

function FixLink({ group }: { group: FailureGroup }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/failures/retry"
      params={{ workspace: workspace.id }}
      search={groupFilter(group)}
      className={buttonClass("ghost", "sm")}
      aria-label={`Fix the group ${groupId(group)}`}
    >
      <Wrench aria-hidden />
      Fix
    </Link>
  );
}
