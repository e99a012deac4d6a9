import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
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

/** How often, and how long, a comparison that a person asked for is looked at. */
const lookEvery = 2_000;
const mostLooks = 30;

/**
 * Pauses, resumes and retries the exchange of one order. No poll changes the page while a dialog is open, so what the
 * person asked for there is looked at until the order no longer waits.
 */
export function useOrderMoves({ connection_id, order_no, state }: ExchangeOrder) {
  const { workspace } = usePlace();
  const client = useQueryClient();
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    if (looks === 0 || state !== "waiting") return;
    const timer = setTimeout(() => {
      reload(client);
      setLooks(looks - 1);
    }, lookEvery);
    return () => clearTimeout(timer);
  }, [looks, state, client]);
  const path = { workspace: workspace.id, connection: connection_id, order: order_no };
  const shared = {
    onError: (error: unknown) => toast.error(error, "Nothing was changed"),
    onSettled: () => {
      reload(client);
      setLooks(mostLooks);
    },
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
