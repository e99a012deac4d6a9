import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { UserRound } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/you",
    component: lazyRouteComponent(() => import("./you"), "YouPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  { section: "settings", to: "/w/$workspace/you", label: "You", icon: <UserRound aria-hidden /> },
];
