import { type ComponentProps, lazy, Suspense } from "react";

// Their forms weigh more than the page; nobody needs them before they ask for one.
const Invite = lazy(async () => ({ default: (await import("./invite-dialog")).InviteDialog }));
const Role = lazy(async () => ({ default: (await import("./role-dialog")).RoleDialog }));

export function InviteDialog(props: ComponentProps<typeof Invite>) {
  return (
    <Suspense>
      <Invite {...props} />
    </Suspense>
  );
}

export function RoleDialog(props: ComponentProps<typeof Role>) {
  return (
    <Suspense>
      <Role {...props} />
    </Suspense>
  );
}
