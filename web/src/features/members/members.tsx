import { UserPlus } from "lucide-react";
import { useState } from "react";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { Page } from "@/ui/page";
import { InvitationsCard } from "./invitations-card";
import type { Draft } from "./invite-dialog";
import { InviteDialog } from "./lazy-dialogs";
import { MembersCard } from "./members-card";

export function MembersPage() {
  const { company, can } = usePlace();
  const manages = can("manage_members");
  return (
    <Page
      title="Members"
      description={`Who belongs to ${company.name}, and what they may do. A role applies in every workspace.`}
      actions={manages && <InviteButton />}
    >
      <div className="flex flex-col gap-5">
        <MembersCard />
        {manages && <InvitationsCard />}
      </div>
    </Page>
  );
}

function InviteButton() {
  const [draft, setDraft] = useState<Draft>();
  const invite = () => setDraft({ email: "", role: "viewer" });
  useShortcuts([{ keys: "n", label: "Invite a member", group: "Members", run: invite }]);
  return (
    <>
      <Button variant="primary" icon={<UserPlus aria-hidden />} onClick={invite}>
        Invite
      </Button>
      {draft && <InviteDialog draft={draft} onClosed={() => setDraft(undefined)} />}
    </>
  );
}
