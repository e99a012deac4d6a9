import { lazy, Suspense } from "react";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { MailCard } from "./mail-card";
import { ProfileCard } from "./profile-card";
import { SessionsCard } from "./sessions-card";

// Its form brings validation that the rest of the page does without.
const PasswordCard = lazy(async () => ({ default: (await import("./password-card")).PasswordCard }));

export function YouPage() {
  return (
    <Page title="You" description="Your name, your password, your mails, and where you are signed in.">
      <div className="grid gap-5 lg:grid-cols-2">
        <ProfileCard />
        <Suspense fallback={<SkeletonText lines={6} label="Loading the password form" />}>
          <PasswordCard />
        </Suspense>
        <div className="flex min-w-0 flex-col gap-5 lg:col-span-2">
          <MailCard />
          <SessionsCard />
        </div>
      </div>
    </Page>
  );
}
