import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Factory, Package, Table2, UsersRound } from "lucide-react";
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
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/tables/$slug/columns",
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./define"), "DefinePage"),
  }),
] as const;

const tableEntry = { to: "/w/$workspace/tables/$slug", exact: true } as const;

export const nav: NavEntry[] = [
  {
    ...tableEntry,
    section: "buy",
    slug: "suppliers",
    also: /^\/suppliers\//,
    label: "Suppliers",
    icon: <Factory aria-hidden />,
  },
  {
    ...tableEntry,
    section: "know",
    slug: "products",
    also: /^\/products\//,
    label: "Products",
    icon: <Package aria-hidden />,
  },
  {
    ...tableEntry,
    section: "know",
    slug: "customers",
    also: /^\/customers\//,
    label: "Customers",
    icon: <UsersRound aria-hidden />,
  },
  {
    section: "data",
    to: "/w/$workspace/tables",
    exact: true,
    also: /^\/tables\/(?!(suppliers|products|customers)$)/,
    label: "Tables",
    icon: <Table2 aria-hidden />,
  },
];
