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

// Should it fail to load, the app goes on without it.
const Toaster = lazy<ComponentType>(() =>
  import("./ui/toaster").then(
    (loaded) => ({ default: loaded.Toaster }),
    () => ({ default: () => null }),
  ),
);

/**
 * Until something is done there is nothing to announce. The first press comes before the first
 * announcement: screen readers hear only what changes in a region that is there already.
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
 * A session may end while a page is open: by its owner elsewhere, or by a change of role. Every
 * call under way is refused then, and the first refusal is enough to leave: another one would
 * begin the way to the sign-in anew. Drafts are kept by the tab, so nobody is asked about them.
 */
function signedOut() {
  const next = router.state.location.href;
  if (leaving || !next.startsWith("/w/")) return;
  leaving = true;
  unsaved.release();
  location.assign(`/sign-in?${new URLSearchParams({ next })}`);
}

// "Back" may show this very page again, as it was left.
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
