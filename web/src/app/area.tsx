import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  type LinkProps,
  type NavigateOptions,
  notFound,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toApiError } from "@/lib/problem";
import { findPlace, loadSession, type Permission, rememberWorkspace } from "@/lib/session";
import { Failed, Missing } from "@/ui/page-states";

// An area is a folder of src/features that has pages. Its area.tsx exports the pages' `routes` with
// their search parameters, their entries in the navigation (`nav`) and further commands of the
// palette (`commands`). areas.ts lists the areas.

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  // A page outside of the frame has its own landmark.
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

/** The parent of all pages that need a session. */
export const insideRoute = createRoute({
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

/** The pages of a workspace. router.tsx gives it its frame. */
export const workspaceRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: "/w/$workspace",
  beforeLoad: ({ context, params, preload }) => {
    const place = findPlace(context.person, params.workspace);
    if (!place) throw notFound();
    if (!preload) rememberWorkspace(place.workspace.id); // hovering over a link is not a visit
    return { place };
  },
});

/** A page in the navigation of a workspace. */
export interface NavEntry {
  section: "first" | "buy" | "know" | "data" | "automate" | "settings";
  to: LinkProps["to"];
  /** The table, for an entry that leads to a table's page. */
  slug?: string;
  /** Marks the entry as current only at this address, not at addresses below it. */
  exact?: true;
  /** Further addresses, from the workspace's on, at which the entry is current. */
  also?: RegExp;
  label: string;
  /** Synonyms that the palette also matches. */
  keywords?: string;
  icon: ReactNode;
  /** The entry is hidden from people without any of these permissions. */
  needs?: Permission[];
  /** A sequence such as "g f" that leads there. */
  keys?: string;
  /** Shown in the phone's bottom bar; three fit. */
  primary?: true;
  /** The number beside the label, and what it counts, for screen readers. */
  count?: (workspace: string) => CountQuery;
  counts?: string;
}

/** A query that yields a number. Methods, because each area's query has its own answer type. */
export interface CountQuery {
  queryKey: readonly unknown[];
  queryFn(context: { signal: AbortSignal }): Promise<unknown>;
  select(answer: unknown): number | undefined;
  refetchInterval: number;
}

/** A palette command that leads to a page of the workspace. */
export interface AreaCommand {
  id: string;
  label: string;
  group: string;
  /** Synonyms that the palette also matches. */
  keywords?: string;
  icon: ReactNode;
  /** Offered to people with one of these permissions; absent: to everybody. */
  needs?: Permission[];
  go: Pick<NavigateOptions, "to" | "search">;
}

/** The exports of an area that the frame uses. */
export interface Area {
  nav?: NavEntry[];
  commands?: AreaCommand[];
}
