// Runs before the first paint so that a dark-mode reader never sees a white flash.
// A separate file because the Content-Security-Policy allows no inline script.
// The storage key and the attribute are shared with src/lib/theme.ts.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem("quayside.theme");
  } catch {
    // Storage can be blocked; the system setting is then the best guess.
  }
  const dark =
    choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
