import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Monitor, Smartphone } from "lucide-react";
import { endSessionMutation, listSessionsQueryKey } from "@/api/@tanstack/react-query.gen";
import type { Session } from "@/api/types.gen";
import { useFocusAfterRemoval } from "@/lib/focus";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Td, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { toast } from "@/ui/toast";
import { deviceName, isPhone } from "./device";

export function SessionRow({ session }: { session: Session }) {
  const { id, user_agent, address, last_seen_at, current } = session;
  const device = deviceName(user_agent);
  const Icon = isPhone(user_agent) ? Smartphone : Monitor;
  return (
    <Tr>
      <Td className="w-full max-w-0 max-md:py-2 md:w-2/5">
        <span className="flex min-w-0 items-center gap-2">
          <Icon className="size-4 shrink-0 text-subtle" aria-hidden />
          <span className="truncate font-medium" title={user_agent}>
            {device}
          </span>
          {current && (
            <span className="max-md:hidden">
              <Badge tone="good">This session</Badge>
            </span>
          )}
        </span>
        <span className="ml-6 block truncate text-muted text-xs md:hidden">{address}</span>
        {current && (
          <span className="mt-1 ml-6 block md:hidden">
            <Badge tone="good">This session</Badge>
          </span>
        )}
      </Td>
      <Td className="text-muted tabular-nums">{address}</Td>
      <Td className="text-muted">
        <Time value={last_seen_at} />
      </Td>
      <Td className="text-right">{!current && <EndButton id={id} device={device} />}</Td>
    </Tr>
  );
}

function EndButton({ id, device }: { id: string; device: string }) {
  const queryClient = useQueryClient();
  const keepFocus = useFocusAfterRemoval();
  const { mutate, isPending } = useMutation({
    ...endSessionMutation(),
    onMutate: keepFocus,
    onSuccess: () => toast.success(`The session of ${device} has ended`),
    onError: (error) => toast.error(error, "The session did not end"),
    onSettled: () => queryClient.invalidateQueries({ queryKey: listSessionsQueryKey() }),
  });
  return (
    <Button
      size="sm"
      aria-label={`End the session of ${device}`}
      loading={isPending}
      onClick={() => mutate({ path: { session: id } })}
    >
      End
    </Button>
  );
}
