import type { ReactNode } from "react";
import { EntryCard } from "./entry-card";

interface DeadLinkProps {
  /** The address has no token: it was cut off, or the page was reloaded. */
  missing: boolean;
  /** What to do now. */
  children: ReactNode;
}

export function DeadLink({ missing, children }: DeadLinkProps) {
  return (
    <EntryCard title={missing ? "The link is incomplete" : "This link is no longer valid"}>
      <p role="alert" className="text-base">
        {missing
          ? "Open it again from where you got it. For your safety it is not kept in the address bar, so reloading this page loses it."
          : "It was used, replaced or withdrawn, or it has expired."}
      </p>
      {children}
    </EntryCard>
  );
}
