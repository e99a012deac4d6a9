import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { CalendarDays, ClipboardList, ScanBarcode, ScrollText } from "lucide-react";
import { type AreaCommand, type NavEntry, workspaceRoute } from "@/app/area";
import { readView } from "@/lib/pages";
import { type Group, isGroup } from "./groups";
import { readOrdersSearch } from "./tabs";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/purchase-orders",
    validateSearch: readOrdersSearch,
    component: lazyRouteComponent(() => import("./orders"), "OrdersPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/purchase-orders/$order",
    validateSearch: (search): { line?: string } =>
      typeof search.line === "string" ? { line: search.line } : {},
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import("./order"), "OrderPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/arrivals",
    validateSearch: (search): { group?: Group; month?: string; view?: string } => ({
      ...(isGroup(search.group) && { group: search.group }),
      ...(typeof search.month === "string" &&
        /^\d{4}-(0[1-9]|1[0-2])$/.test(search.month) && { month: search.month }),
      ...readView(search.view),
    }),
    component: lazyRouteComponent(() => import("./arrivals"), "ArrivalsPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/receive",
    component: lazyRouteComponent(() => import("./scan-page"), "ScanPage"),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/purchasing",
    component: lazyRouteComponent(() => import("./rules"), "PurchasingPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "buy",
    to: "/w/$workspace/purchase-orders",
    label: "Purchase orders",
    icon: <ClipboardList aria-hidden />,
    keys: "g p",
  },
  {
    section: "buy",
    to: "/w/$workspace/arrivals",
    label: "Arrivals",
    icon: <CalendarDays aria-hidden />,
    keys: "g a",
    primary: true,
  },
  {
    section: "settings",
    to: "/w/$workspace/purchasing",
    label: "Purchasing rules",
    icon: <ScrollText aria-hidden />,
    needs: ["submit_lines", "approve_lines"],
  },
];

export const commands: AreaCommand[] = [
  {
    id: "receive",
    label: "Receive by barcode",
    group: "Purchasing",
    keywords: "scan arrival delivery goods in",
    icon: <ScanBarcode />,
    needs: ["receive_lines"],
    go: { to: "/w/$workspace/receive" },
  },
  {
    id: "orders-pending_approval",
    label: "Orders pending approval",
    group: "Purchasing",
    keywords: "purchase approve",
    icon: <ClipboardList />,
    go: { to: "/w/$workspace/purchase-orders", search: { tab: "pending_approval" } },
  },
  {
    id: "orders-overdue",
    label: "Overdue orders",
    group: "Purchasing",
    keywords: "purchase late",
    icon: <ClipboardList />,
    go: { to: "/w/$workspace/purchase-orders", search: { tab: "overdue" } },
  },
];
