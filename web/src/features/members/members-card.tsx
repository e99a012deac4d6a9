import type { Member } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonRows } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { MemberActions } from "./member-actions";
import { RoleBadge } from "./role-badge";
import { useMembers } from "./use-company-lists";

// On a phone everything stands below the name. Applies to skeletons too.
const columns =
  "max-md:[&>tr>:nth-child(2)]:hidden max-md:[&>tr>:nth-child(3)]:hidden max-md:[&>tr>:nth-child(4)]:hidden";

export function MembersCard() {
  const { can } = usePlace();
  const { members, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useMembers();
  const manages = can("manage_members");
  return (
    <Card
      flush
      footer={
        hasNextPage && (
          <Button size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )
      }
    >
      {error && !members ? (
        <div className="p-4">
          <ErrorNote error={error} retry={refetch} />
        </div>
      ) : (
        <Table caption="Members">
          <thead className={columns}>
            <tr>
              <Th>Name</Th>
              <Th>Email</Th>
              <Th>Role</Th>
              <Th>Since</Th>
              {manages && (
                <Th className="w-0">
                  <span className="sr-only">Actions</span>
                </Th>
              )}
            </tr>
          </thead>
          <tbody className={columns}>
            {members?.map((member) => <MemberRow key={member.id} member={member} manages={manages} />) ?? (
              <SkeletonRows rows={4} columns={manages ? 5 : 4} />
            )}
          </tbody>
        </Table>
      )}
    </Card>
  );
}

function MemberRow({ member, manages }: { member: Member; manages: boolean }) {
  const { person } = usePlace();
  return (
    <Tr>
      <Td className="max-md:max-w-0 max-md:w-full max-md:py-2">
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{member.name}</span>
          {member.id === person.id && <Badge>You</Badge>}
        </span>
        <span className="block truncate text-muted md:hidden">{member.email}</span>
        <span className="mt-1 flex items-center gap-2 text-muted text-xs md:hidden">
          <RoleBadge role={member.role} />
          <span>
            since <Time value={member.created_at} />
          </span>
        </span>
      </Td>
      <Td className="max-w-0 truncate text-muted md:w-2/5">{member.email}</Td>
      <Td>
        <RoleBadge role={member.role} />
      </Td>
      <Td className="text-muted">
        <Time value={member.created_at} />
      </Td>
      {manages && (
        <Td className="text-right">
          <MemberActions member={member} />
        </Td>
      )}
    </Tr>
  );
}
