import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { insideRoute, rootRoute } from "@/app/area";
import { homeWorkspace } from "@/lib/session";

/** Whether an address is within this app: a link must not send people to another site. */
function isOurs(address: string): boolean {
  return (
    address.startsWith("/") &&
    URL.canParse(address, location.origin) &&
    new URL(address, location.origin).origin === location.origin
  );
}

/** Pages for people who have not signed in. */
export const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "public",
  component: lazyRouteComponent(() => import("./entry-layout"), "EntryLayout"),
});

export const publicRoutes = [
  createRoute({
    getParentRoute: () => publicRoute,
    path: "/sign-in",
    validateSearch: (search): { next?: string } =>
      typeof search.next === "string" && isOurs(search.next) ? { next: search.next } : {},
    component: lazyRouteComponent(() => import("./sign-in"), "SignInPage"),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: "/forgot-password",
    component: lazyRouteComponent(() => import("./forgot-password"), "ForgotPasswordPage"),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: "/reset-password",
    component: lazyRouteComponent(() => import("./reset-password"), "ResetPasswordPage"),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: "/invitation",
    component: lazyRouteComponent(() => import("./invitation"), "InvitationPage"),
  }),
] as const;

/** Redirects to the person's workspace, or shows a page to people without one. */
export const startRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: "/",
  beforeLoad: ({ context }) => {
    const workspace = homeWorkspace(context.person);
    if (workspace) throw redirect({ to: "/w/$workspace", params: { workspace } });
  },
  component: lazyRouteComponent(() => import("./no-company"), "NoCompanyPage"),
});
