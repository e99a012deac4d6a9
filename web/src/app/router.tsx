import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import type { AuditSearch } from "@/features/audit/filter";
import { readSearch as readFailureSearch } from "@/features/failures/filter";
import { readRetrySearch } from "@/features/failures/retry-search";
import { readOrdersSearch } from "@/features/purchasing/tabs";
import { isSourceTab, type SourceTab } from "@/features/sources/tabs";
import { readSearch } from "@/features/tables/state";
import { readPages } from "@/lib/pages";
import { toApiError } from "@/lib/problem";
import { findPlace, homeWorkspace, loadSession, rememberWorkspace } from "@/lib/session";
import { AppLayout } from "./app-layout";
import { Failed, Missing, Pending } from "./states";

// Routes are written by hand, not generated from files: these lines against a compiler
// plugin in the build. Every page is a lazy import and thereby its own chunk.

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  // Outside of the frame a page brings its own landmark.
  notFoundComponent: () => (
    <main>
      <Missing />
    </main>
  ),
  errorComponent: (props) => (
    <main>
      <Failed {...props} />
    </main>
  ),
});

/** Whether an address leads to a page of ours: a link must not send people elsewhere. */
function isOurs(address: string): boolean {
  return (
    address.startsWith("/") &&
    URL.canParse(address, location.origin) &&
    new URL(address, location.origin).origin === location.origin
  );
}

/** Pages for whoever has not signed in, or not yet. */
const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "public",
  component: lazyRouteComponent(() => import("../features/entry/entry-layout"), "EntryLayout"),
});
const signInRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string } =>
    typeof search.next === "string" && isOurs(search.next) ? { next: search.next } : {},
  component: lazyRouteComponent(() => import("../features/entry/sign-in"), "SignInPage"),
});
const forgotRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/forgot-password",
  component: lazyRouteComponent(() => import("../features/entry/forgot-password"), "ForgotPasswordPage"),
});
const resetRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/reset-password",
  component: lazyRouteComponent(() => import("../features/entry/reset-password"), "ResetPasswordPage"),
});
const invitationRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: "/invitation",
  component: lazyRouteComponent(() => import("../features/entry/invitation"), "InvitationPage"),
});

/** Everything behind the sign-in. */
const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "inside",
  beforeLoad: async ({ context, location }) => {
    try {
      return { person: await loadSession(context.queryClient) };
    } catch (cause) {
      if (toApiError(cause).status !== 401) throw cause;
      throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { next: location.href } });
    }
  },
  component: Outlet,
});
const startRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: "/",
  beforeLoad: ({ context }) => {
    const workspace = homeWorkspace(context.person);
    if (workspace) throw redirect({ to: "/w/$workspace", params: { workspace } });
  },
  component: lazyRouteComponent(() => import("../features/entry/no-company"), "NoCompanyPage"),
});

const workspaceRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: "/w/$workspace",
  beforeLoad: ({ context, params, preload }) => {
    const place = findPlace(context.person, params.workspace);
    if (!place) throw notFound();
    if (!preload) rememberWorkspace(place.workspace.id); // pointing at a link is not going there
    return { place };
  },
  component: AppLayout,
});

const firstStepsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/",
  // Another workspace is another page: nothing of a key made here may stand there.
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/first-steps/first-steps"), "FirstStepsPage"),
});
const sourcesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/sources",
  component: lazyRouteComponent(() => import("../features/sources/sources"), "SourcesPage"),
});
const sourceRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/sources/$slug",
  validateSearch: (search): { tab?: SourceTab } => (isSourceTab(search.tab) ? { tab: search.tab } : {}),
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/sources/source"), "SourcePage"),
});
const tablesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/tables",
  component: lazyRouteComponent(() => import("../features/tables/tables"), "TablesPage"),
});
const tableRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/tables/$slug",
  validateSearch: readSearch,
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/tables/table"), "TablePage"),
});
const failuresRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/failures",
  validateSearch: readFailureSearch,
  component: lazyRouteComponent(() => import("../features/failures/failures"), "FailuresPage"),
});
const failureRowsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/failures/rows",
  validateSearch: readFailureSearch,
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/failures/rows"), "FailureRowsPage"),
});
const retryRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/failures/retry",
  validateSearch: readRetrySearch,
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/failures/retry-page"), "RetryPage"),
});
const bulkRetriesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/failures/retries",
  component: lazyRouteComponent(() => import("../features/failures/retries"), "BulkRetriesPage"),
});
const newImportRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/sources/$slug/import",
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/imports/new-import"), "NewImportPage"),
});
const importsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/imports",
  validateSearch: (search): { table?: string; pages?: number } => ({
    ...(typeof search.table === "string" && { table: search.table }),
    ...readPages(search.pages),
  }),
  component: lazyRouteComponent(() => import("../features/imports/imports"), "ImportsPage"),
});
const importRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/imports/$import",
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/imports/import"), "ImportPage"),
});
const keysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/keys",
  validateSearch: (search): { ended?: boolean } => (search.ended === true ? { ended: true } : {}),
  component: lazyRouteComponent(() => import("../features/keys/keys"), "KeysPage"),
});
const tokensRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/tokens",
  validateSearch: (search): { ended?: boolean } => (search.ended === true ? { ended: true } : {}),
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/tokens/tokens"), "TokensPage"),
});
const ordersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/purchase-orders",
  validateSearch: readOrdersSearch,
  component: lazyRouteComponent(() => import("../features/purchasing/orders"), "OrdersPage"),
});
const orderRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/purchase-orders/$order",
  validateSearch: (search): { line?: string } =>
    typeof search.line === "string" ? { line: search.line } : {},
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import("../features/purchasing/order"), "OrderPage"),
});
const arrivalsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/arrivals",
  validateSearch: (search): { month?: string } =>
    typeof search.month === "string" && /^\d{4}-(0[1-9]|1[0-2])$/.test(search.month)
      ? { month: search.month }
      : {},
  component: lazyRouteComponent(() => import("../features/purchasing/arrivals"), "ArrivalsPage"),
});
const purchasingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/purchasing",
  component: lazyRouteComponent(() => import("../features/purchasing/rules"), "PurchasingPage"),
});
const membersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/members",
  component: lazyRouteComponent(() => import("../features/members/members"), "MembersPage"),
});
const workspacesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/workspaces",
  component: lazyRouteComponent(() => import("../features/workspaces/workspaces"), "WorkspacesPage"),
});
const auditRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/audit",
  validateSearch: (search): AuditSearch => search, // the page knows what it understands
  component: lazyRouteComponent(() => import("../features/audit/audit"), "AuditPage"),
});
const youRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/you",
  component: lazyRouteComponent(() => import("../features/you/you"), "YouPage"),
});

const routeTree = rootRoute.addChildren([
  publicRoute.addChildren([signInRoute, forgotRoute, resetRoute, invitationRoute]),
  insideRoute.addChildren([
    startRoute,
    workspaceRoute.addChildren([
      firstStepsRoute,
      tablesRoute,
      tableRoute,
      sourcesRoute,
      sourceRoute,
      failuresRoute,
      failureRowsRoute,
      retryRoute,
      bulkRetriesRoute,
      newImportRoute,
      importsRoute,
      importRoute,
      keysRoute,
      tokensRoute,
      ordersRoute,
      orderRoute,
      arrivalsRoute,
      purchasingRoute,
      membersRoute,
      workspacesRoute,
      auditRoute,
      youRoute,
    ]),
  ]),
]);

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
  rootRoute.addChildren([publicRoute, insideRoute, kitRoute, screenRoute]);
}

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    // TanStack Query decides what is stale.
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: Pending,
    // The old page stays for the first 300 ms; a skeleton that came must not flicker away.
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
