import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { readEnded } from "@/lib/pages";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/keys",
    validateSearch: readEnded,
    component: lazyRouteComponent(() => import("./keys"), "KeysPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "data",
    to: "/w/$workspace/keys",
    label: "API keys",
    icon: <KeyRound aria-hidden />,
    needs: ["manage_keys"],
  },
];
