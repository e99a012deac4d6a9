import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { BookOpen } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { readPlaybook } from "./tabs";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/playbook",
    validateSearch: readPlaybook,
    component: lazyRouteComponent(() => import("./playbook"), "PlaybookPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/playbook/strategies/$strategy",
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./strategy"), "StrategyPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/playbook/sops/$sop",
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./sop"), "SopPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "automate",
    to: "/w/$workspace/playbook",
    label: "Playbook",
    icon: <BookOpen aria-hidden />,
  },
];
