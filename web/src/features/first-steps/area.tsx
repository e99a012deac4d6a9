import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Rocket } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/",
    // Keyed by workspace, so that a key made here is never shown in another workspace.
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./first-steps"), "FirstStepsPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "first",
    to: "/w/$workspace",
    exact: true,
    label: "First steps",
    icon: <Rocket aria-hidden />,
    primary: true,
  },
];
