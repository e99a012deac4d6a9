import type { ReactNode } from "react";
import { EntryCard } from "./entry-card";

interface DeadLinkProps {
  /** There is no token at all: the address was cut off, or the page was loaded again. */
  missing: boolean;
  /** What to do now. */
  children: ReactNode;
}

export function DeadLink({ missing, children }: DeadLinkProps) {
  return (
    <EntryCard title={missing ? "The link is not complete" : "This link is not valid any more"}>
      <p role="alert" className="text-base">
        {missing
          ? "Open it again from where you got it. For your safety it is not kept in the address bar, so reloading this page loses it."
          : "It was used, replaced or withdrawn, or its time is over."}
      </p>
      {children}
    </EntryCard>
  );
}
