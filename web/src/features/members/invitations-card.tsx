import { Mail } from "lucide-react";
import { useState } from "react";
import type { Invitation } from "@/api/types.gen";
import { useNow } from "@/lib/live";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { EmptyState } from "@/ui/empty-state";
import { Time } from "@/ui/time";
import { InvitationActions } from "./invitation-actions";
import type { Draft } from "./invite-dialog";
import { InviteDialog } from "./lazy-dialogs";
import { useInvitations } from "./queries";
import { RoleBadge } from "./role-badge";

/** The dialog stays mounted while the list behind it changes, because it shows a link only once. */
export function InvitationsCard() {
  const [draft, setDraft] = useState<Draft>();
  return (
    <>
      <InvitationList invite={() => setDraft({ email: "", role: "viewer" })} />
      {draft && <InviteDialog draft={draft} onClosed={() => setDraft(undefined)} />}
    </>
  );
}

function InvitationList({ invite }: { invite: () => void }) {
  return (
    <DataList
      title="Open invitations"
      caption="Open invitations"
      noun="invitation"
      list={useInvitations()}
      idOf={(invitation) => invitation.id}
      nameOf={(invitation) => invitation.email}
      columns={columns}
      empty={
        <EmptyState
          icon={<Mail aria-hidden />}
          action={<Button onClick={invite}>Invite a member</Button>}
          docs={{ href: "/docs/reference#invite", label: "How invitations work" }}
        >
          Invited people are listed here until they accept.
        </EmptyState>
      }
    />
  );
}

const columns: Column<Invitation>[] = [
  {
    id: "email",
    head: "Email",
    className: "w-full max-w-0 max-md:py-2 md:w-2/5",
    cell: ({ email, role }) => (
      <>
        <span className="block truncate font-medium">{email}</span>
        <span className="mt-0.5 block md:hidden">
          <RoleBadge role={role} />
        </span>
      </>
    ),
  },
  { id: "role", head: "Role", className: "max-md:hidden", cell: ({ role }) => <RoleBadge role={role} /> },
  {
    id: "invited",
    head: "Invited",
    className: "text-muted max-md:hidden",
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    id: "ends",
    head: "Ends",
    className: "whitespace-nowrap text-muted",
    cell: ({ expires_at }) => <Ends at={expires_at} />,
  },
  {
    id: "actions",
    head: "Actions",
    hiddenHead: true,
    className: "w-0 text-right",
    cell: (invitation) => <InvitationActions invitation={invitation} />,
  },
];

function Ends({ at }: { at: string }) {
  const ended = new Date(at).getTime() < useNow();
  return ended ? <Badge tone="warn">Expired</Badge> : <Time value={at} />;
}
