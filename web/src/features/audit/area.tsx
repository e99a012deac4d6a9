import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { History } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import type { AuditSearch } from "./filter";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/audit",
    validateSearch: (search): AuditSearch => search, // the page itself validates its parameters
    component: lazyRouteComponent(() => import("./audit"), "AuditPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "settings",
    to: "/w/$workspace/audit",
    label: "Audit log",
    icon: <History aria-hidden />,
    needs: ["read_audit"],
  },
];
