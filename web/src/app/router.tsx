import type { QueryClient } from "@tanstack/react-query";
import { createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Failed, Missing, Pending } from "@/ui/page-states";
import { AppLayout } from "./app-layout";
import { rootRoute, workspaceRoute } from "./area";
import { routeTree } from "./areas";

// Routes are written by hand: generating them from files would need a compiler plugin in the
// build. Every page is a lazy import and thereby its own chunk.

// Set here and not in area.tsx: the frame imports the areas, and the areas import the route.
workspaceRoute.update({ component: AppLayout });

// Vite replaces both constants, so the production build drops the block and its chunks.
if (import.meta.env.DEV || import.meta.env.MODE === "kit") {
  const kitRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: "/_kit",
    component: lazyRouteComponent(() => import("../kit/kit-page"), "KitPage"),
  });
  const screenRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: "/_kit/screen",
    component: lazyRouteComponent(() => import("../kit/screen"), "ScreenPage"),
  });
  rootRoute.addChildren([...(routeTree.children ?? []), kitRoute, screenRoute]);
}

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    // TanStack Query decides what is stale.
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: Pending,
    // The old page stays for the first 300 ms; a skeleton stays long enough not to flicker.
    defaultPendingMs: 300,
    defaultPendingMinMs: 300,
    defaultErrorComponent: Failed,
    defaultNotFoundComponent: Missing,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
