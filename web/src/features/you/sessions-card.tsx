import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  endOtherSessionsMutation,
  listSessionsInfiniteOptions,
  listSessionsQueryKey,
} from "@/api/@tanstack/react-query.gen";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonRows } from "@/ui/skeleton";
import { Table, Th } from "@/ui/table";
import { toast } from "@/ui/toast";
import { SessionRow } from "./session-row";

// On a phone the address is below the device. Applies to skeletons too.
const columns = "max-md:[&>tr>:nth-child(2)]:hidden";

export function SessionsCard() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...listSessionsInfiniteOptions({ query: { limit: 50 } }),
    initialPageParam: {},
    getNextPageParam: (last) => last.next_cursor,
  });
  // The current session comes first, so that nobody ends it by accident.
  const sessions = data?.pages
    .flatMap((page) => page.items)
    .sort((a, b) => Number(b.current) - Number(a.current) || b.last_seen_at.localeCompare(a.last_seen_at));
  if (error && !sessions) {
    return (
      <Card title="Sessions">
        <ErrorNote error={error} retry={refetch} />
      </Card>
    );
  }
  return (
    <Card
      title="Sessions"
      description="Where you are signed in. A session ends a week after its last use."
      actions={<EndOthers disabled={!sessions?.some((session) => !session.current)} />}
      flush
      footer={
        hasNextPage && (
          <Button size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )
      }
    >
      <Table caption="Sessions">
        <thead className={columns}>
          <tr>
            <Th>Device</Th>
            <Th>Address</Th>
            <Th>Last seen</Th>
            <Th className="w-0">
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody className={columns}>
          {sessions?.map((session) => <SessionRow key={session.id} session={session} />) ?? (
            <SkeletonRows rows={2} columns={4} />
          )}
        </tbody>
      </Table>
    </Card>
  );
}

function EndOthers({ disabled }: { disabled: boolean }) {
  const { mutateAsync } = useMutation(endOtherSessionsMutation());
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title="End all other sessions?"
      confirm="End other sessions"
      onConfirm={async () => {
        await mutateAsync({});
        toast.success("All other sessions have ended");
        await queryClient.invalidateQueries({ queryKey: listSessionsQueryKey() });
      }}
      trigger={
        <Button size="sm" disabled={disabled}>
          End all others
        </Button>
      }
    >
      Every other browser and program that is signed in as you has to sign in again. This session stays.
    </ConfirmDialog>
  );
}
