import { useMutation } from "@tanstack/react-query";
import { removeMemberMutation } from "@/api/@tanstack/react-query.gen";
import type { Member } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { toast } from "@/ui/toast";
import { useMemberChange } from "./use-member-change";

export function RemoveDialog({ member, onClosed }: { member: Member; onClosed: () => void }) {
  const { company } = usePlace();
  const { mutateAsync } = useMutation(removeMemberMutation());
  const { self, run, path, headers } = useMemberChange(member);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClosed()}
      title={self ? `Leave ${company.name}?` : `Remove ${member.name}?`}
      confirm={self ? "Leave company" : "Remove member"}
      onConfirm={async () => {
        await run(mutateAsync({ path, headers }));
        toast.success(`${member.name} is no longer a member`);
      }}
    >
      {self ? (
        <>You lose access to {company.name} at once. To come back, you need an invitation.</>
      ) : (
        <>
          <strong className="wrap-anywhere font-semibold text-ink">{member.email}</strong> loses access to{" "}
          {company.name} at once and is signed out everywhere. Their name stays on what they did. You can
          invite them again.
        </>
      )}
    </ConfirmDialog>
  );
}
