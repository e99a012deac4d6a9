import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { OrderCounts } from "@/api/types.gen";
import { ViewsButton } from "@/features/views/views-button";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { buttonClass } from "@/ui/button";
import { SearchField } from "@/ui/filter";
import { Page } from "@/ui/page";
import { Tabs } from "@/ui/tabs";
import { countText, statusNames } from "./model";
import { OrderList } from "./order-list";
import { countsQuery } from "./queries";
import {
  isFlag,
  type OrdersFlag,
  type OrdersSearch,
  type OrdersTab,
  readOrdersSearch,
  statuses,
} from "./tabs";

type Tab = "all" | OrdersTab;

/** Tabs that most people have no orders in most of the time. They are there while there is one. */
const rareTabs: Tab[] = ["to_approve", "sent_back", "mine", "undated"];

const tabs: Tab[] = [
  "all",
  ...rareTabs, // before the others, so that they are in sight
  ...statuses.flatMap((status): OrdersTab[] => (status === "received" ? [status, "closed_short"] : [status])),
  "overdue",
];

const flagNames: Record<OrdersFlag, string> = {
  closed_short: "Closed short",
  overdue: "Overdue",
  to_approve: "For you to approve",
  sent_back: "Sent back to you",
  mine: "Your drafts",
  undated: "Without a date",
};

function tabName(tab: Tab): string {
  if (tab === "all") return "All";
  return isFlag(tab) ? flagNames[tab] : statusNames[tab];
}

function tabCount(counts: OrderCounts | undefined, tab: Tab): number | undefined {
  if (!counts) return undefined;
  if (tab === "all") return counts.orders;
  return isFlag(tab) ? counts[tab] : (counts.by_status[tab] ?? 0);
}

/** Every order of the workspace. */
export function OrdersPage() {
  const { workspace, can } = usePlace();
  const search = useSearch({ from: "/inside/w/$workspace/purchase-orders" });
  const { locale } = useLocale();
  const go = useNavigate();
  const counts = useQuery(countsQuery(workspace.id)).data;
  const drafts = can("draft_lines");
  const look = (next: OrdersSearch) =>
    void go({
      to: "/w/$workspace/purchase-orders",
      params: { workspace: workspace.id },
      search: readOrdersSearch({ ...next }),
      replace: true,
      resetScroll: false,
    });
  // A change of filter returns to the first page.
  const narrow = (change: OrdersSearch) => look({ ...search, pages: undefined, ...change });
  const fresh = { to: "/w/$workspace/purchase-orders/new", params: { workspace: workspace.id } } as const;
  useShortcuts(
    drafts ? [{ keys: "n", label: "New order", group: "Purchase orders", run: () => void go(fresh) }] : [],
  );
  const create = drafts && (
    <Link {...fresh} className={buttonClass("primary")}>
      <Plus aria-hidden />
      New order
    </Link>
  );
  return (
    <Page
      title="Purchase orders"
      description="What is being bought, from whom, and what is still to come."
      actions={
        <>
          <ViewsButton of="purchase-orders" view={search.view} />
          {create}
        </>
      }
    >
      <Tabs
        label="Which orders"
        value={search.tab ?? "all"}
        onValueChange={(tab) => narrow({ tab: tab === "all" ? undefined : tab })}
        tabs={tabs
          .filter((tab) => !rareTabs.includes(tab) || tab === search.tab || tabCount(counts, tab))
          .map((value) => {
            const count = tabCount(counts, value);
            return {
              value,
              label: tabName(value),
              ...(count !== undefined && { count: countText(count, locale) }),
            };
          })}
      >
        <div className="mb-3 max-w-sm">
          <SearchField
            label="Search orders"
            placeholder="Number, article or supplier"
            text={search.text}
            onSearch={(text) => narrow({ text })}
          />
        </div>
        <OrderList
          search={search}
          total={tabCount(counts, search.tab ?? "all")}
          narrow={narrow}
          want={(pages) => look({ ...search, pages })}
          create={create}
        />
      </Tabs>
    </Page>
  );
}
