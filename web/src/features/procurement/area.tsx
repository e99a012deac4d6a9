import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ListPlus } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import type { QueueSearch } from "./search";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/to-order",
    // The page reads and checks them: every page would load that code.
    validateSearch: (search: QueueSearch) => search,
    component: lazyRouteComponent(() => import("./to-order"), "ToOrderPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "buy",
    to: "/w/$workspace/to-order",
    label: "To order",
    icon: <ListPlus aria-hidden />,
    keys: "g o",
    primary: true,
  },
];
