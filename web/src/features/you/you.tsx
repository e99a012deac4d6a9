import { Page } from "@/ui/page";
import { MailCard } from "./mail-card";
import { PasswordCard } from "./password-card";
import { ProfileCard } from "./profile-card";
import { SessionsCard } from "./sessions-card";

export function YouPage() {
  return (
    <Page title="You" description="Your name, your password, your mails, and where you are signed in.">
      <div className="grid gap-5 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <ProfileCard />
          <MailCard />
        </div>
        <PasswordCard />
        <div className="min-w-0 lg:col-span-2">
          <SessionsCard />
        </div>
      </div>
    </Page>
  );
}
