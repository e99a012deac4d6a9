import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Users } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/members",
    component: lazyRouteComponent(() => import("./members"), "MembersPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  { section: "settings", to: "/w/$workspace/members", label: "Members", icon: <Users aria-hidden /> },
];
