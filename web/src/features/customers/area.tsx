import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/customers/$customer",
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./customer"), "CustomerPage"),
  }),
] as const;
