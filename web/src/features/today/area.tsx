import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Sun } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/",
    component: lazyRouteComponent(() => import("./today"), "TodayPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "first",
    to: "/w/$workspace",
    exact: true,
    label: "Today",
    keywords: "home start",
    icon: <Sun aria-hidden />,
    keys: "g t",
    primary: true,
  },
];
