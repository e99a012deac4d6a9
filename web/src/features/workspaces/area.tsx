import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Building2 } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/workspaces",
    component: lazyRouteComponent(() => import("./workspaces"), "WorkspacesPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "settings",
    to: "/w/$workspace/workspaces",
    label: "Workspaces",
    icon: <Building2 aria-hidden />,
  },
];
