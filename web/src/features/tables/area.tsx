import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Table2 } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { readSearch } from "./state";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/tables",
    component: lazyRouteComponent(() => import("./tables"), "TablesPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/tables/$slug",
    validateSearch: readSearch,
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./table"), "TablePage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "work",
    to: "/w/$workspace/tables",
    label: "Tables",
    icon: <Table2 aria-hidden />,
    primary: true,
  },
];
