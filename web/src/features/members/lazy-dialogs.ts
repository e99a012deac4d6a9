import { lazyDialog } from "@/ui/lazy-dialog";

export const InviteDialog = lazyDialog(async () => (await import("./invite-dialog")).InviteDialog);
export const RoleDialog = lazyDialog(async () => (await import("./role-dialog")).RoleDialog);
export const RemoveDialog = lazyDialog(async () => (await import("./remove-dialog")).RemoveDialog);
export const PasswordLinkDialog = lazyDialog(
  async () => (await import("./password-link-dialog")).PasswordLinkDialog,
);
