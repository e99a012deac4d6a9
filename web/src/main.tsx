import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ComponentType, lazy, StrictMode, Suspense, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { createAppRouter } from "./app/router";
import { createQueryClient } from "./lib/api";
import { watchPage } from "./lib/live";
import { pollQueries } from "./lib/live-queries";
import { unsaved } from "./lib/unsaved";
import { whenToasterIsNeeded } from "./ui/toast";
import "./styles.css";

// If it fails to load, the app works without it.
const Toaster = lazy<ComponentType>(() =>
  import("./ui/toaster").then(
    (loaded) => ({ default: loaded.Toaster }),
    () => ({ default: () => null }),
  ),
);

/**
 * Loads the Toaster at the first press of a pointer or key. That is before the first toast, as it
 * must be: screen readers announce only changes in a region that already exists.
 */
function Toasts() {
  const [needed, setNeeded] = useState(false);
  useEffect(() => {
    const need = () => setNeeded(true);
    whenToasterIsNeeded(need);
    addEventListener("pointerdown", need, { once: true, capture: true });
    addEventListener("keydown", need, { once: true, capture: true });
  }, []);
  return <Suspense>{needed && <Toaster />}</Suspense>;
}

const queryClient = createQueryClient(signedOut);
const router = createAppRouter(queryClient);
watchPage(document);
pollQueries(queryClient);

let leaving = false;

/**
 * A session may end while a page is open: its owner ends it elsewhere, or their role changes. Every
 * call under way is then refused. Only the first refusal leads to the sign-in page: a second one
 * would start the navigation again. The tab stores drafts, so there is no question about them.
 */
function signedOut() {
  const next = router.state.location.href;
  if (leaving || !next.startsWith("/w/")) return;
  leaving = true;
  unsaved.release();
  location.assign(`/sign-in?${new URLSearchParams({ next })}`);
}

// "Back" may restore this page from the browser's cache.
addEventListener("pageshow", () => {
  leaving = false;
  unsaved.hold();
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

createRoot(root).render(
  <StrictMode>
    {/* style-src 'self' refuses <style> elements; the one rule Base UI adds is in styles.css. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
