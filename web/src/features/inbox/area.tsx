import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { type NavEntry, workspaceRoute } from "@/app/area";
import { countUnseen, inboxCountQuery } from "./count";
import { readInboxSearch } from "./search";

export const routes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "/inbox",
    validateSearch: readInboxSearch,
    component: lazyRouteComponent(() => import("./inbox"), "InboxPage"),
  }),
] as const;

export const nav: NavEntry[] = [
  {
    section: "first",
    to: "/w/$workspace/inbox",
    label: "Inbox",
    keywords: "approvals mentions sent back notifications",
    icon: <Inbox aria-hidden />,
    keys: "g n",
    count: (workspace) => ({ ...inboxCountQuery(workspace), select: countUnseen }),
    counts: "unseen",
  },
];
