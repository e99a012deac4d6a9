import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Workflow } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { readPages } from "@/lib/pages";
import { readRunSearch } from "./search";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/agent-runs",
    validateSearch: (search): { pages?: number } => readPages(search.pages),
    component: lazyRouteComponent(() => import("./runs"), "RunsPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/agent-runs/$run",
    validateSearch: readRunSearch,
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./run"), "RunPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "automate",
    to: "/w/$workspace/agent-runs",
    label: "Agent runs",
    icon: <Workflow aria-hidden />,
    keys: "g r",
  },
];
