import type { Member } from "@/api/types.gen";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { type Column, DataList } from "@/ui/data-list";
import { Time } from "@/ui/time";
import { MemberActions } from "./member-actions";
import { useMembers } from "./queries";
import { RoleBadge } from "./role-badge";

export function MembersCard() {
  const { person, can } = usePlace();
  const all = columns(person.id);
  return (
    <DataList
      caption="Members"
      noun="member"
      list={useMembers()}
      idOf={(member) => member.id}
      nameOf={(member) => member.name}
      file={fileColumns}
      columns={can("manage_members") ? [...all, actions] : all}
      // Never shown: the reader is a member.
      empty={null}
    />
  );
}

// On a phone everything else is below the name.
const columns = (you: string): Column<Member>[] => [
  {
    id: "name",
    head: "Name",
    className: "max-md:max-w-0 max-md:w-full max-md:py-2",
    cell: (member) => (
      <>
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{member.name}</span>
          {member.id === you && <Badge>You</Badge>}
        </span>
        <span className="block truncate text-muted md:hidden">{member.email}</span>
        <span className="mt-1 flex items-center gap-2 text-muted text-xs md:hidden">
          <RoleBadge role={member.role} />
          <span>
            since <Time value={member.created_at} />
          </span>
        </span>
      </>
    ),
  },
  {
    id: "email",
    head: "Email",
    className: "max-w-0 truncate text-muted max-md:hidden md:w-2/5",
    cell: (member) => member.email,
  },
  {
    id: "role",
    head: "Role",
    className: "max-md:hidden",
    cell: (member) => <RoleBadge role={member.role} />,
  },
  {
    id: "since",
    head: "Since",
    className: "text-muted max-md:hidden",
    cell: (member) => <Time value={member.created_at} />,
  },
];

const fileColumns: FileColumn<Member>[] = [
  { name: "Name", value: (member) => member.name },
  { name: "Email", value: (member) => member.email },
  { name: "Role", value: (member) => member.role },
  { name: "Since", value: (member) => member.created_at },
];

const actions: Column<Member> = {
  id: "actions",
  head: "Actions",
  hiddenHead: true,
  className: "w-0 text-right",
  cell: (member) => <MemberActions member={member} />,
};
