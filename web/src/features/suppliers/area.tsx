import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { workspaceRoute } from "@/app/area";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/suppliers/$supplier",
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./supplier"), "SupplierPage"),
  }),
] as const;
