import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { readConnectionSearch } from "./tabs";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/connections",
    component: lazyRouteComponent(() => import("./connections"), "ConnectionsPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/connections/$connection",
    validateSearch: readConnectionSearch,
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./connection"), "ConnectionPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "settings",
    to: "/w/$workspace/connections",
    label: "Connections",
    keywords: "inventory katana sync integration",
    icon: <Plug aria-hidden />,
    needs: ["manage_connections"],
  },
];
