import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/products/$record",
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./article"), "ArticlePage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/failures/doubles",
    component: lazyRouteComponent(() => import("./doubles"), "DoublesPage"),
  }),
] as const;
