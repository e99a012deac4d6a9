import { useRouteContext } from "@tanstack/react-router";

import { Button } from "@/ui/button";
import { EntryCard } from "./entry-card";
import { EntryFrame } from "./entry-layout";
import { useSignOut } from "./sign-out";

export function NoCompanyPage() {
  const person = useRouteContext({ from: "/inside/", select: (context) => context.person });
  const leave = useSignOut();
  return (
    <EntryFrame>
      <EntryCard title="You belong to no company">
        <div className="flex flex-col gap-3 text-base">
          <p>
            You are signed in as <strong className="wrap-anywhere font-semibold">{person.email}</strong>, but
            you are not a member of any company here.
          </p>
          <p className="text-muted">
            Ask a Company-Admin to invite this address, or sign in with another one.
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" onClick={() => location.reload()}>
            Check again
          </Button>
          <Button onClick={leave}>Sign out</Button>
        </div>
      </EntryCard>
    </EntryFrame>
  );
}
