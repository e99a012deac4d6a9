import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RefObject } from "react";
import { markAlertsReadMutation } from "@/api/@tanstack/react-query.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { HangingPanel } from "@/ui/hanging-panel";
import { SkeletonText } from "@/ui/skeleton";
import { toast } from "@/ui/toast";
import { AlertRow } from "./alert-row";
import { alertsQuery, refreshAlerts } from "./queries";

interface AlertsPanelProps {
  bell: RefObject<HTMLButtonElement | null>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The workspace's alerts. Loaded when the bell is first pressed. */
export function AlertsPanel({ bell, open, onOpenChange }: AlertsPanelProps) {
  const { workspace } = usePlace();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...alertsQuery(workspace.id),
    enabled: open,
  });
  const queryClient = useQueryClient();
  const { mutate, isPending } = useMutation({
    ...markAlertsReadMutation(),
    onError: (cause) => toast.error(cause, "The alerts are still unread"),
    onSettled: () => refreshAlerts(queryClient, workspace.id),
  });
  const alerts = data?.pages.flatMap((page) => page.items);
  const newest = alerts?.[0];
  const path = { workspace: workspace.id };
  return (
    <HangingPanel
      anchor={bell}
      open={open}
      onOpenChange={onOpenChange}
      title="Alerts"
      actions={
        newest && (
          // Alerts that arrived after this list was loaded stay unread.
          <Button
            size="sm"
            variant="ghost"
            loading={isPending}
            onClick={() => mutate({ path, body: { up_to: newest.id } })}
          >
            Mark all as read
          </Button>
        )
      }
    >
      {error && !alerts && (
        <div className="p-4">
          <ErrorNote error={error} retry={refetch} />
        </div>
      )}
      {!alerts && !error && (
        <div className="p-4">
          <SkeletonText lines={4} label="Loading the alerts" />
        </div>
      )}
      {alerts?.length === 0 && (
        <p className="px-6 py-8 text-balance text-center text-muted">
          No alerts. You get one when imports begin to fail, when many imports fail, and when a source goes
          silent.
        </p>
      )}
      {alerts && alerts.length > 0 && (
        <ul className="divide-y divide-line">
          {alerts.map((alert) => (
            <AlertRow
              key={alert.id}
              alert={alert}
              markRead={() => mutate({ path, body: { ids: [alert.id] } })}
              onFollow={() => onOpenChange(false)}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="border-line border-t px-4 py-2.5">
          <Button size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </HangingPanel>
  );
}
