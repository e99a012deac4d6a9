import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ChartLine } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import type { InsightsSearch } from "./tabs";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/insights",
    // The page reads and checks them: every page would load that code.
    validateSearch: (search: InsightsSearch) => search,
    component: lazyRouteComponent(() => import("./insights"), "InsightsPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "know",
    to: "/w/$workspace/insights",
    label: "Insights",
    icon: <ChartLine aria-hidden />,
    keys: "g i",
  },
];
