import type { ApiError } from "@/lib/problem";

/** Technical details of an error, folded away. */
export function ErrorDetails({ problem: { details } }: { problem: ApiError }) {
  if (details === undefined) return null;
  return (
    <details className="mt-1 text-xs">
      <summary className="w-fit cursor-pointer">Details</summary>
      <code className="mt-1 block whitespace-pre-wrap break-words font-mono">{details}</code>
    </details>
  );
}
