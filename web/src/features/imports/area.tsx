import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { readPages, readView } from "@/lib/pages";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/sources/$slug/import",
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./new-import"), "NewImportPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/imports",
    validateSearch: (search): { table?: string; pages?: number; view?: string } => ({
      ...(typeof search.table === "string" && { table: search.table }),
      ...readPages(search.pages),
      ...readView(search.view),
    }),
    component: lazyRouteComponent(() => import("./imports"), "ImportsPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/imports/$import",
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./import"), "ImportPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "data",
    to: "/w/$workspace/imports",
    label: "File imports",
    keywords: "csv excel upload",
    icon: <FileUp aria-hidden />,
    needs: ["import_records"],
  },
];
