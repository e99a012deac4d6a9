import * as agent from "@/features/agent/area";
import * as articles from "@/features/articles/area";
import * as audit from "@/features/audit/area";
import * as connections from "@/features/connections/area";
import * as customers from "@/features/customers/area";
import * as entry from "@/features/entry/area";
import * as exchange from "@/features/exchange/area";
import * as failures from "@/features/failures/area";
import * as firstSteps from "@/features/first-steps/area";
import * as imports from "@/features/imports/area";
import * as inbox from "@/features/inbox/area";
import * as insights from "@/features/insights/area";
import * as keys from "@/features/keys/area";
import * as members from "@/features/members/area";
import * as ordering from "@/features/ordering/area";
import * as playbook from "@/features/playbook/area";
import * as procurement from "@/features/procurement/area";
import * as purchasing from "@/features/purchasing/area";
import * as sources from "@/features/sources/area";
import * as suppliers from "@/features/suppliers/area";
import * as tables from "@/features/tables/area";
import * as today from "@/features/today/area";
import * as tokens from "@/features/tokens/area";
import * as workspaces from "@/features/workspaces/area";
import * as you from "@/features/you/area";
import { type Area, insideRoute, rootRoute, workspaceRoute } from "./area";

/** The areas of a workspace, in the order in which each section of the navigation lists them. */
export const areas: Area[] = [
  today,
  inbox,
  firstSteps,
  members,
  workspaces,
  connections,
  procurement,
  purchasing,
  ordering,
  tables,
  insights,
  failures,
  sources,
  imports,
  keys,
  playbook,
  agent,
  tokens,
  audit,
  you,
];

// The routes are listed one by one: their types are what links are checked against.
export const routeTree = rootRoute.addChildren([
  entry.publicRoute.addChildren(entry.publicRoutes),
  insideRoute.addChildren([
    entry.startRoute,
    workspaceRoute.addChildren([
      ...today.routes,
      ...inbox.routes,
      ...firstSteps.routes,
      ...failures.routes,
      ...exchange.routes,
      ...insights.routes,
      ...tables.routes,
      ...sources.routes,
      ...imports.routes,
      ...keys.routes,
      ...tokens.routes,
      ...procurement.routes,
      ...purchasing.routes,
      ...ordering.routes,
      ...playbook.routes,
      ...agent.routes,
      ...articles.routes,
      ...suppliers.routes,
      ...customers.routes,
      ...members.routes,
      ...workspaces.routes,
      ...connections.routes,
      ...audit.routes,
      ...you.routes,
    ]),
  ]),
]);
