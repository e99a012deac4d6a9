import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workspaceRoute } from "@/app/area";

// Not in the navigation: most workspaces have no connection. Today, orders and connections lead there.
export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/conflicts",
    component: lazyRouteComponent(() => import("./conflicts"), "ConflictsPage"),
  }),
] as const;
