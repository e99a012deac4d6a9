import { useSyncExternalStore } from "react";

/** Whether the window is at least as wide as a Tailwind breakpoint. For layouts that CSS alone cannot do. */
export function useWide(breakpoint: "md" | "lg"): boolean {
  const query = `(min-width: ${breakpoint === "md" ? 48 : 64}rem)`;
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}
