import { useSyncExternalStore } from "react";
import { readSetting, writeSetting } from "./storage";

export type ThemeChoice = "system" | "light" | "dark";

const listeners = new Set<() => void>();
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function read(): ThemeChoice {
  const stored = readSetting("theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}

let choice = read();

// Must agree with public/theme.js, which does the same before the first paint.
function apply() {
  const dark = choice === "dark" || (choice === "system" && systemDark.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

function reload() {
  choice = read();
  apply();
  for (const listener of listeners) listener();
}

systemDark.addEventListener("change", apply);
// Another tab may have changed it.
addEventListener("storage", (event) => {
  if (event.key === "quayside.theme") reload();
});

export function setTheme(next: ThemeChoice): void {
  writeSetting("theme", next);
  choice = next;
  apply();
  for (const listener of listeners) listener();
}

export function useTheme(): ThemeChoice {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => choice,
  );
}
