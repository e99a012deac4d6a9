import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { getConnectionOptions } from "@/api/@tanstack/react-query.gen";
import { usePlace } from "@/lib/session";
import { ErrorNote } from "@/ui/error-note";
import { Page } from "@/ui/page";
import { Tabs } from "@/ui/tabs";
import { ConflictList } from "./conflict-list";
import { OrderList } from "./order-list";
import { useExchange } from "./progress";

/** The orders and conflicts of one connection. */
export function ExchangePage() {
  const { workspace } = usePlace();
  const from = "/inside/w/$workspace/connections/$connection/orders";
  const { connection } = useParams({ from });
  const search = useSearch({ from });
  const go = useNavigate();
  const path = { workspace: workspace.id, connection };
  const { data, error, refetch } = useQuery(getConnectionOptions({ path }));
  const { data: exchange } = useExchange(connection);
  const look = (next: typeof search) =>
    void go({
      to: "/w/$workspace/connections/$connection/orders",
      params: path,
      search: next,
      replace: true,
      resetScroll: false,
    });
  const waiting = exchange?.conflicts;
  return (
    <Page
      title={data?.name ?? "Connection"}
      description="The orders that are exchanged with it, and what a person must decide."
    >
      {error && !data ? (
        <ErrorNote error={error} retry={refetch} />
      ) : (
        <Tabs
          label="Orders and conflicts"
          value={search.tab ?? "orders"}
          onValueChange={(tab) => look(tab === "orders" ? {} : { tab })}
          tabs={[
            {
              value: "orders",
              label: "Orders",
              panel: (
                <OrderList
                  connection={connection}
                  state={search.state}
                  onState={(state) => look(state ? { state } : {})}
                />
              ),
            },
            {
              value: "conflicts",
              label: "Conflicts",
              ...(waiting !== undefined && { count: waiting }),
              panel: <ConflictList connection={connection} />,
            },
          ]}
        />
      )}
    </Page>
  );
}
