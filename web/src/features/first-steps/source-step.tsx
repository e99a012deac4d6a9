import type { Source } from "@/api/types.gen";
import { cx } from "@/lib/cx";

interface SourceStepProps {
  sources: Source[];
  chosen: string | undefined;
  choose: (source: Source) => void;
}

export function SourceStep({ sources, chosen, choose }: SourceStepProps) {
  return (
    <fieldset className="grid gap-2 sm:grid-cols-2">
      <legend className="sr-only">The table that gets the first record</legend>
      {sources.map((source) => (
        <label
          key={source.slug}
          className={cx(
            "flex cursor-pointer items-start gap-2.5 rounded-md border px-3 py-2 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent-ink",
            chosen === source.slug ? "border-accent-ink bg-accent-soft" : "border-line hover:bg-hover",
          )}
        >
          <input
            type="radio"
            name="source"
            value={source.slug}
            checked={chosen === source.slug}
            onChange={() => choose(source)}
            className="mt-1 accent-(--accent)"
          />
          <span className="min-w-0">
            <span className="block font-medium text-ink">{source.title}</span>
            <span className="line-clamp-2 text-muted text-xs">{source.description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
