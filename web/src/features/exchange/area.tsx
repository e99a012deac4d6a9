import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workspaceRoute } from "@/app/area";
import { type ExchangeTab, isExchangeTab } from "./tabs";
import { isOrderState, type OrderState } from "./words";

interface ExchangeSearch {
  tab?: ExchangeTab;
  state?: OrderState;
}

// Not in the navigation: most workspaces have no connection. Today, orders and connections lead there.
export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/conflicts",
    component: lazyRouteComponent(() => import("./conflicts"), "ConflictsPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/connections/$connection/orders",
    validateSearch: ({ tab, state }): ExchangeSearch => ({
      ...(isExchangeTab(tab) && { tab }),
      ...(isOrderState(state) && { state }),
    }),
    component: lazyRouteComponent(() => import("./exchange"), "ExchangePage"),
  }),
] as const;
