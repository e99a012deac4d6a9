import { Mail } from "lucide-react";
import { useState } from "react";
import type { Invitation } from "@/api/types.gen";
import { useNow } from "@/lib/live";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonRows } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { InvitationActions } from "./invitation-actions";
import type { Draft } from "./invite-dialog";
import { InviteDialog } from "./lazy-dialogs";
import { RoleBadge } from "./role-badge";
import { useInvitations } from "./use-company-lists";

const columns = "max-md:[&>tr>:nth-child(2)]:hidden max-md:[&>tr>:nth-child(3)]:hidden";

/** The dialog stays while the list behind it comes and goes: it shows a link once. */
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
  const { invitations, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInvitations();
  if (error && !invitations) {
    return (
      <Card title="Open invitations">
        <ErrorNote error={error} retry={refetch} />
      </Card>
    );
  }
  if (invitations?.length === 0) {
    return (
      <Card title="Open invitations">
        <EmptyState
          icon={<Mail aria-hidden />}
          action={<Button onClick={invite}>Invite a member</Button>}
          docs={{ href: "/docs#invite", label: "How invitations work" }}
        >
          Whoever you invite is listed here until they accept.
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card
      title="Open invitations"
      flush
      footer={
        hasNextPage && (
          <Button size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )
      }
    >
      <Table caption="Open invitations">
        <thead className={columns}>
          <tr>
            <Th>Email</Th>
            <Th>Role</Th>
            <Th>Invited</Th>
            <Th>Ends</Th>
            <Th className="w-0">
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody className={columns}>
          {invitations?.map((one) => <InvitationRow key={one.id} invitation={one} />) ?? (
            <SkeletonRows rows={2} columns={5} />
          )}
        </tbody>
      </Table>
    </Card>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { email, role, created_at, expires_at } = invitation;
  const ended = new Date(expires_at).getTime() < useNow();
  return (
    <Tr>
      <Td className="w-full max-w-0 max-md:py-2 md:w-2/5">
        <span className="block truncate font-medium">{email}</span>
        <span className="mt-0.5 block md:hidden">
          <RoleBadge role={role} />
        </span>
      </Td>
      <Td>
        <RoleBadge role={role} />
      </Td>
      <Td className="text-muted">
        <Time value={created_at} />
      </Td>
      <Td className="whitespace-nowrap text-muted">
        {ended ? <Badge tone="warn">Expired</Badge> : <Time value={expires_at} />}
      </Td>
      <Td className="text-right">
        <InvitationActions invitation={invitation} />
      </Td>
    </Tr>
  );
}
