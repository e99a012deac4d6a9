import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type AreaCommand, workspaceRoute } from "@/app/area";
import type { NewOrderSearch } from "./search";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/purchase-orders/new",
    // The page reads and checks them: every page would load that code.
    validateSearch: (search: NewOrderSearch) => search,
    component: lazyRouteComponent(() => import("./new-order"), "NewOrderPage"),
  }),
] as const;

export const commands: AreaCommand[] = [
  {
    id: "new-order",
    label: "New order",
    group: "Purchasing",
    keywords: "purchase create buy supplier",
    icon: <Plus />,
    go: { to: "/w/$workspace/purchase-orders/new" },
    needs: ["draft_lines"],
  },
];
