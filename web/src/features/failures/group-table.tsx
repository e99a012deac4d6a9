import { Link } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import type { FailureGroup } from "@/api/types.gen";
import { useListKeys } from "@/lib/list-keys";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { type FailureStatus, groupFilter } from "./filter";
import { useTables } from "./queries";
import { Reason } from "./reason";
import { messageBeside } from "./reasons";
import { useFailureSearch, views } from "./use-search";

export const groupId = (group: FailureGroup) => `${group.slug} ${group.code} ${group.field}`;

export function GroupTable({ groups, status }: { groups: readonly FailureGroup[]; status: FailureStatus }) {
  const { workspace, can } = usePlace();
  const { search, go } = useFailureSearch("groups");
  const title = useTables();
  const keys = useListKeys({ ids: groups.map(groupId), noun: "group" });
  const fixable = status === "open" && can("retry_failures");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the links inside
    <div onKeyDown={keys.onKeyDown}>
      <Table caption={`Groups of ${status} failed imports`}>
        <thead>
          <tr>
            <Th>Reason</Th>
            <Th className="max-md:hidden">Table</Th>
            <Th num>Failures</Th>
            <Th num className="max-lg:hidden">
              Seen
            </Th>
            <Th className="max-lg:hidden">First seen</Th>
            <Th className="max-md:hidden">Last seen</Th>
            {fixable && (
              <Th className="max-md:hidden">
                <span className="sr-only">Actions</span>
              </Th>
            )}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => {
            const found = { ...search, ...groupFilter(group) };
            return (
              <Tr
                key={groupId(group)}
                className="cursor-pointer has-[[data-row]:focus-visible]:bg-hover/60"
                onClick={(event) => {
                  if (event.target instanceof Element && event.target.closest("a,button,time")) return;
                  go(found, { view: "rows" });
                }}
              >
                <Td className="w-full max-w-0 py-2">
                  <Link
                    to={views.rows}
                    params={{ workspace: workspace.id }}
                    search={found}
                    {...keys.rowProps(groupId(group))}
                    className="block max-w-full truncate rounded-sm"
                  >
                    <Reason code={group.code} field={group.field} />
                  </Link>
                  <span className="block truncate text-muted text-xs" title={group.message}>
                    {messageBeside(group.field, group.message)}
                  </span>
                  <span className="flex gap-2 text-subtle text-xs md:hidden">
                    <span className="truncate">{title(group.slug)}</span>
                    <Time value={group.last_seen_at} />
                  </span>
                </Td>
                <Td className="whitespace-nowrap max-md:hidden">{title(group.slug)}</Td>
                <Td num className="font-medium">
                  <Num value={group.failures} />
                </Td>
                <Td num className="text-muted max-lg:hidden">
                  <Num value={group.seen} />
                </Td>
                <Td className="text-muted max-lg:hidden">
                  <Time value={group.first_seen_at} />
                </Td>
                <Td className="text-muted max-md:hidden">
                  <Time value={group.last_seen_at} />
                </Td>
                {fixable && (
                  <Td className="max-md:hidden">
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
                  </Td>
                )}
              </Tr>
            );
          })}
        </tbody>
      </Table>
    </div>
  );
}
