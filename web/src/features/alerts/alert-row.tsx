import { useRouter } from "@tanstack/react-router";
import { Check, CircleAlert, CirclePause, type LucideIcon, TriangleAlert, VolumeX } from "lucide-react";
import type { MouseEvent } from "react";
import type { Alert } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { failuresOpen } from "@/messages/failure";
import { StatusBadge } from "@/ui/badge";
import { IconButton } from "@/ui/icon-button";
import { Time } from "@/ui/time";

const icons: Record<Alert["rule"], LucideIcon> = {
  new_failures: CircleAlert,
  failure_rate: TriangleAlert,
  silent_source: VolumeX,
  not_computed: CirclePause,
};

interface AlertRowProps {
  alert: Alert;
  markRead: () => void;
  /** Called when the alert's link has opened another page. */
  onFollow: () => void;
}

export function AlertRow({ alert, markRead, onFollow }: AlertRowProps) {
  const { locale } = useLocale();
  const router = useRouter();
  const Icon = icons[alert.rule];
  const follow = (event: MouseEvent) => {
    if (!alert.read) markRead();
    if (event.metaKey || event.ctrlKey || event.shiftKey) return; // another tab or window
    event.preventDefault();
    onFollow();
    router.history.push(alert.path);
  };
  return (
    <li
      className={cx(
        "relative flex items-start gap-3 py-3 pr-2 pl-4 hover:bg-hover",
        !alert.read && "bg-accent-soft/40",
      )}
    >
      <Icon
        aria-hidden
        className={cx("mt-0.5 size-4 shrink-0", alert.resolved_at ? "text-subtle" : "text-bad-ink")}
      />
      <div className="min-w-0 flex-1">
        <a
          href={alert.path}
          onClick={follow}
          className={cx(
            "before:absolute before:inset-0 before:content-['']",
            alert.read ? "text-muted" : "font-semibold",
          )}
        >
          {!alert.read && <span className="sr-only">Unread: </span>}
          {alert.summary}
        </a>
        <p className="wrap-anywhere text-muted">{alert.reason}</p>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs">
          <span className="relative">
            <Time value={alert.raised_at} />
          </span>
          {alert.resolved_at ? (
            <StatusBadge status="resolved" />
          ) : (
            alert.open_failures > 0 && <span>{failuresOpen({ count: alert.open_failures }, locale)}</span>
          )}
        </p>
      </div>
      {/* An empty square in place of the button, so that the text does not jump when the button goes. */}
      <span className="size-7 shrink-0 pointer-coarse:size-9">
        {!alert.read && (
          <IconButton
            size="sm"
            label={`Mark as read: ${alert.summary}`}
            tooltip={false}
            icon={<Check aria-hidden />}
            className="relative"
            onClick={markRead}
          />
        )}
      </span>
    </li>
  );
}
