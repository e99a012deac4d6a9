import { useQuery } from "@tanstack/react-query";
import { getCustomerActivityOptions, getCustomerOptions } from "@/api/@tanstack/react-query.gen";
import { listCustomerOrders } from "@/api/sdk.gen";
import type { CustomerOrder } from "@/api/types.gen";
import { refreshEvery } from "@/features/subject/record";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";

const usePath = (customer: string) => ({ workspace: usePlace().workspace.id, customer });

export function useCustomer(customer: string) {
  const path = usePath(customer);
  return useQuery({ ...getCustomerOptions({ path }), refetchInterval: 3 * refreshEvery });
}

export function useActivity(customer: string) {
  const path = usePath(customer);
  return useQuery({ ...getCustomerActivityOptions({ path }), refetchInterval: 3 * refreshEvery });
}

export function useOrders(customer: string) {
  const path = usePath(customer);
  return usePagedRows<CustomerOrder>({
    queryKey: ["customer-orders", path],
    read: async (cursor, signal) =>
      (
        await listCustomerOrders({
          path,
          query: { limit: 10, ...(cursor && { cursor }) },
          signal,
          throwOnError: true,
        })
      ).data,
    idOf: ({ id }) => id,
  });
}
