import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  pauseExchangeOrderMutation,
  resumeExchangeOrderMutation,
  retryExchangeOrderMutation,
  retryExchangeOrdersMutation,
} from "@/api/@tanstack/react-query.gen";
import type { ExchangeOrder } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { ordersRetried } from "@/messages/exchange";
import { toast } from "@/ui/toast";

/** Loads again what shows orders of a connection. */
function reload(client: QueryClient) {
  for (const _id of ["getExchange", "listExchangeOrders", "listExchangeAttempts", "getOrderExchange"])
    void client.invalidateQueries({ queryKey: [{ _id }] });
}

/** Pauses, resumes and retries the exchange of one order. */
export function useOrderMoves({ connection_id, order_no }: ExchangeOrder) {
  const { workspace } = usePlace();
  const client = useQueryClient();
  const path = { workspace: workspace.id, connection: connection_id, order: order_no };
  const shared = {
    onError: (error: unknown) => toast.error(error, "Nothing was changed"),
    onSettled: () => reload(client),
  };
  const pause = useMutation({ ...pauseExchangeOrderMutation(), ...shared });
  const resume = useMutation({ ...resumeExchangeOrderMutation(), ...shared });
  const retry = useMutation({ ...retryExchangeOrderMutation(), ...shared });
  return {
    busy: pause.isPending || resume.isPending || retry.isPending,
    pause: () => pause.mutate({ path }, { onSuccess: () => toast.success(`${order_no} is paused`) }),
    resume: () => resume.mutate({ path }, { onSuccess: () => toast.success(`${order_no} is resumed`) }),
    retry: () => retry.mutate({ path }, { onSuccess: () => toast.success(`${order_no} is compared now`) }),
  };
}

/** Retries all orders in a state. */
export function useRetryAll(connection: string) {
  const { workspace } = usePlace();
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    ...retryExchangeOrdersMutation(),
    onSuccess: ({ orders }) => toast.success(ordersRetried({ count: orders }, workspace.locale)),
    onError: (error) => toast.error(error, "Nothing was retried"),
    onSettled: () => reload(client),
  });
  return {
    retrying: isPending,
    retry: (state: "failed" | "held") =>
      mutate({ path: { workspace: workspace.id, connection }, body: { states: [state] } }),
  };
}
