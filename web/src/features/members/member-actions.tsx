import { Ellipsis, KeyRound, UserCog, UserMinus } from "lucide-react";
import { useState } from "react";
import type { Member } from "@/api/types.gen";
import { IconButton } from "@/ui/icon-button";
import { Menu, MenuItem, MenuSeparator } from "@/ui/menu";
import { PasswordLinkDialog, RemoveDialog, RoleDialog } from "./lazy-dialogs";

type Action = "role" | "password" | "remove";

export function MemberActions({ member }: { member: Member }) {
  const [action, setAction] = useState<Action>();
  const onClosed = () => setAction(undefined);
  return (
    <>
      <Menu
        trigger={
          <IconButton
            label={`Actions for ${member.name}`}
            icon={<Ellipsis aria-hidden />}
            size="sm"
            tooltip={false}
          />
        }
      >
        <MenuItem icon={<UserCog />} onSelect={() => setAction("role")}>
          Change role
        </MenuItem>
        <MenuItem icon={<KeyRound />} onSelect={() => setAction("password")}>
          Make password link
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<UserMinus />} danger onSelect={() => setAction("remove")}>
          Remove
        </MenuItem>
      </Menu>
      {action === "role" && <RoleDialog member={member} onClosed={onClosed} />}
      {action === "password" && <PasswordLinkDialog member={member} onClosed={onClosed} />}
      {action === "remove" && <RemoveDialog member={member} onClosed={onClosed} />}
    </>
  );
}
