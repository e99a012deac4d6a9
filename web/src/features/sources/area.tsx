import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Cable } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { isSourceTab, type SourceTab } from "./tabs";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/sources",
    component: lazyRouteComponent(() => import("./sources"), "SourcesPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/sources/$slug",
    validateSearch: (search): { tab?: SourceTab } => (isSourceTab(search.tab) ? { tab: search.tab } : {}),
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./source"), "SourcePage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "data",
    to: "/w/$workspace/sources",
    label: "Sources",
    keywords: "data ingest",
    icon: <Cable aria-hidden />,
    keys: "g s",
  },
];
