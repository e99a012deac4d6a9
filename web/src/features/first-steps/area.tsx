import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Rocket } from "lucide-react";
import { type AreaCommand, workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/first-steps",
    // Keyed by workspace, so that a key made here is never shown in another workspace.
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./first-steps"), "FirstStepsPage"),
  }),
] as const;

export const commands: AreaCommand[] = [
  {
    id: "first-steps",
    label: "First steps",
    group: "Go to",
    keywords: "welcome key send record",
    icon: <Rocket />,
    go: { to: "/w/$workspace/first-steps" },
  },
];
