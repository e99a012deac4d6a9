import { useQuery } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { inboxCountQuery } from "@/features/inbox/count";
import { usePlace } from "@/lib/session";
import { unread as unreadAlerts } from "@/messages/common";
import { IconButton } from "@/ui/icon-button";

const AlertsPanel = lazy(async () => ({ default: (await import("./panel")).AlertsPanel }));

/** The number of unread alerts, and a button that opens their list. */
export function AlertBell() {
  const { workspace } = usePlace();
  const { data } = useQuery(inboxCountQuery(workspace.id));
  const [open, setOpen] = useState<boolean>(); // undefined: never opened, so nothing is loaded
  const button = useRef<HTMLButtonElement>(null);
  const unread = data?.unread_alerts ?? 0;
  return (
    <>
      <IconButton
        ref={button}
        label={unread > 0 ? unreadAlerts({ count: unread }, workspace.locale) : "Alerts"}
        aria-haspopup="dialog"
        aria-expanded={open ?? false}
        tooltip={!open}
        icon={<Bell aria-hidden />}
        className={
          unread > 0
            ? "after:absolute after:-top-0.5 after:-right-1 after:min-w-4 after:rounded-full after:bg-bad after:px-1 after:font-semibold after:text-[0.625rem] after:text-on-bad after:leading-4 after:content-[attr(data-count)]"
            : undefined
        }
        data-count={unread > 99 ? "99+" : unread}
        onClick={() => setOpen(!open)}
      />
      {open !== undefined && (
        <Suspense>
          <AlertsPanel key={workspace.id} bell={button} open={open} onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  );
}
