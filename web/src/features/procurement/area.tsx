import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ListPlus } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import type { CaseSearch, RecordSearch } from "./record-search";
import type { QueueSearch } from "./search";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/to-order",
    // The page reads and checks them: every page would load that code.
    validateSearch: (search: QueueSearch) => search,
    component: lazyRouteComponent(() => import("./to-order"), "ToOrderPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/to-order/record",
    validateSearch: (search: RecordSearch) => search,
    component: lazyRouteComponent(() => import("./record"), "TrackRecordPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/to-order/record/cases",
    validateSearch: (search: CaseSearch) => search,
    component: lazyRouteComponent(() => import("./cases"), "CasesPage"),
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
