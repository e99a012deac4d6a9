import { Lightbulb, Plus } from "lucide-react";
import type { Column, Sample } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { lazyPart } from "@/ui/lazy-part";
import type { Suggestion } from "@/ui/suggest";
import { asJson, draftFix, fixWords, toFix } from "./fixes";
import { type DraftFix, maxFixes } from "./retry-search";

// Only needed once there is a change.
const FixForm = lazyPart(async () => (await import("./fix-form")).FixForm);

interface FixListProps {
  fixes: DraftFix[];
  onChange: (fixes: DraftFix[]) => void;
  /** Suggested fixes. */
  offers: DraftFix[];
  fields: Suggestion[];
  columns: readonly Column[];
  samples: readonly Sample[];
}

/** The editor for a list of fixes. */
export function FixList({ fixes, onChange, offers, ...known }: FixListProps) {
  const has = (offer: DraftFix) =>
    fixes.some(
      (fix) => fix.do === offer.do && fix.field === offer.field && asJson(fix.from) === asJson(offer.from),
    );
  const fresh = offers.filter((offer) => !has(offer));
  const add = (fix: DraftFix) => onChange([...fixes, fix]);
  return (
    <div className="flex flex-col gap-3">
      {fixes.map((fix, index) => (
        <FixForm
          // biome-ignore lint/suspicious/noArrayIndexKey: a change is its place in the order
          key={index}
          fix={fix}
          number={index + 1}
          onChange={(next) => onChange(fixes.with(index, next))}
          onRemove={() => onChange(fixes.toSpliced(index, 1))}
          {...known}
        />
      ))}
      {fresh.length > 0 && (
        <div>
          <p className="mb-1.5 flex items-center gap-1.5 text-muted text-xs">
            <Lightbulb className="size-3.5" aria-hidden />
            Suggested by the payloads
          </p>
          <div className="flex flex-wrap gap-1.5">
            {fresh.map((offer) => (
              <Button
                key={offer.do + offer.field + offer.from}
                size="sm"
                className="max-w-full"
                onClick={() => add(offer)}
              >
                <span className="truncate">{offerWords(offer)}</span>
              </Button>
            ))}
          </div>
        </div>
      )}
      {fixes.length < maxFixes && (
        <Button size="sm" icon={<Plus aria-hidden />} className="w-fit" onClick={() => add(draftFix())}>
          Add a change
        </Button>
      )}
    </div>
  );
}

function offerWords(offer: DraftFix): string {
  const words =
    offer.do === "map" ? `replace ${asJson(offer.from)} in ${offer.field}…` : fixWords(toFix(offer));
  return words.charAt(0).toUpperCase() + words.slice(1);
}
