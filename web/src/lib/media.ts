import { useSyncExternalStore } from "react";

const narrow = "(max-width: 767.98px)";

function subscribe(listener: () => void) {
  const query = matchMedia(narrow);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Whether the page is as narrow as a phone, for what is laid out otherwise there, not only smaller. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(narrow).matches);
}
