import { useMutation } from "@tanstack/react-query";
import { Ellipsis, Link2, X } from "lucide-react";
import { useState } from "react";
import { withdrawInvitationMutation } from "@/api/@tanstack/react-query.gen";
import type { Invitation } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { IconButton } from "@/ui/icon-button";
import { ConfirmDialog } from "@/ui/lazy-dialog";
import { Menu, MenuItem } from "@/ui/menu";
import { toast } from "@/ui/toast";
import { InviteDialog } from "./lazy-dialogs";
import { useReloadLists } from "./queries";

export function InvitationActions({ invitation }: { invitation: Invitation }) {
  const { id, email, role } = invitation;
  const { company } = usePlace();
  const [action, setAction] = useState<"again" | "withdraw">();
  const { mutateAsync } = useMutation(withdrawInvitationMutation());
  const reload = useReloadLists();
  return (
    <>
      <Menu
        trigger={
          <IconButton
            label={`Actions for the invitation for ${email}`}
            icon={<Ellipsis aria-hidden />}
            size="sm"
            tooltip={false}
          />
        }
      >
        <MenuItem icon={<Link2 />} onSelect={() => setAction("again")}>
          Invite again
        </MenuItem>
        <MenuItem icon={<X />} danger onSelect={() => setAction("withdraw")}>
          Withdraw
        </MenuItem>
      </Menu>
      {action === "again" && (
        <InviteDialog draft={{ email, role }} again onClosed={() => setAction(undefined)} />
      )}
      <ConfirmDialog
        open={action === "withdraw"}
        onOpenChange={(open) => !open && setAction(undefined)}
        title="Withdraw the invitation?"
        confirm="Withdraw"
        onConfirm={async () => {
          await mutateAsync({ path: { tenant: company.id, invitation: id } });
          toast.success(`The invitation for ${email} is withdrawn`);
          await reload();
        }}
      >
        The link of <strong className="wrap-anywhere font-semibold text-ink">{email}</strong> stops working.
        You can invite them again.
      </ConfirmDialog>
    </>
  );
}
