import { withoutComma } from "@/lib/diff";
import { LineDiff } from "@/ui/line-diff";

/** The changes between two payloads, line by line. */
export function PayloadDiff({ before, after }: { before: string; after: string }) {
  return <LineDiff before={before} after={after} compare={withoutComma} same="Only spaces differ." />;
}
