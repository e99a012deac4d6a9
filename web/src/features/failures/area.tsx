import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { History, ListChecks, TriangleAlert } from "lucide-react";
import { type AreaCommand, type NavEntry, workspaceRoute } from "@/app/area";
import { readSearch } from "./filter";
import { countFailures, openGroupsQuery } from "./open-count";
import { readRetrySearch } from "./retry-search";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/failures",
    validateSearch: readSearch,
    component: lazyRouteComponent(() => import("./failures"), "FailuresPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/failures/rows",
    validateSearch: readSearch,
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./rows"), "FailureRowsPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/failures/retry",
    validateSearch: readRetrySearch,
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./retry-page"), "RetryPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/failures/retries",
    component: lazyRouteComponent(() => import("./retries"), "BulkRetriesPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/failures/rules",
    component: lazyRouteComponent(() => import("./rules"), "RulesPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "data",
    to: "/w/$workspace/failures",
    label: "Failed imports",
    icon: <TriangleAlert aria-hidden />,
    keys: "g f",
    count: (workspace) => ({ ...openGroupsQuery(workspace), select: countFailures }),
    counts: "open",
  },
];

export const commands: AreaCommand[] = [
  {
    id: "bulk-retries",
    label: "Bulk retries",
    group: "Go to",
    keywords: "failed imports progress",
    icon: <History />,
    go: { to: "/w/$workspace/failures/retries" },
  },
  {
    id: "ingest-rules",
    label: "Rules for records to come",
    group: "Go to",
    keywords: "failed imports fixes kept",
    icon: <ListChecks />,
    go: { to: "/w/$workspace/failures/rules" },
  },
  {
    id: "ignored-imports",
    label: "Ignored imports",
    group: "Go to",
    keywords: "failed dismissed",
    icon: <TriangleAlert />,
    go: { to: "/w/$workspace/failures", search: { status: "ignored" } },
  },
];
