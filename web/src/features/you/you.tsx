import { Page } from "@/ui/page";
import { MailCard } from "./mail-card";
import { PasswordCard } from "./password-card";
import { ProfileCard } from "./profile-card";
import { SessionsCard } from "./sessions-card";

export function YouPage() {
  return (
    <Page title="You" description="Your name, your password, your mails, and where you are signed in.">
      <div className="grid gap-5 lg:grid-cols-2">
        <ProfileCard />
        <PasswordCard />
        <div className="flex min-w-0 flex-col gap-5 lg:col-span-2">
          <MailCard />
          <SessionsCard />
        </div>
      </div>
    </Page>
  );
}
