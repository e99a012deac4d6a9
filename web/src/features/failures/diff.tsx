import { lazyPart } from "@/ui/lazy-part";

/** What changed between two payloads. Few who look at failures compare any, so it is loaded for those. */
export const Diff = lazyPart(() => import("./payload-diff").then((m) => m.PayloadDiff));
