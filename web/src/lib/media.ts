import { useSyncExternalStore } from "react";

/** Whether the window is at least so wide, in Tailwind's terms. For layouts that differ in more than style. */
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
