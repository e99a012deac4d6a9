import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { readEnded } from "@/lib/pages";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/tokens",
    validateSearch: readEnded,
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./tokens"), "TokensPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  { section: "automate", to: "/w/$workspace/tokens", label: "Assistants", icon: <Bot aria-hidden /> },
];
