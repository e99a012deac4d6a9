import { lazyPart } from "@/ui/lazy-part";

/** The changes between two payloads. Loaded on demand, because few people compare payloads. */
export const Diff = lazyPart(() => import("./payload-diff").then((m) => m.PayloadDiff));
