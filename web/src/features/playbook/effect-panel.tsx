import { useMutation } from "@tanstack/react-query";
import { Calculator, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { PlaybookEffect } from "@/api/types.gen";
import type { Edit } from "@/lib/edit";
import { same } from "@/lib/edit-state";
import { useLocale } from "@/lib/locale";
import { useShortcuts } from "@/lib/shortcuts";
import { largestOf, partly, wholly } from "@/messages/playbook";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Keys } from "@/ui/keys";
import { effectText, groupNotes, isLater, isPartial, sameEffect } from "./effect";
import { EffectTable } from "./effect-table";
import type { Draft } from "./model";

const keys = "mod+e";

interface EffectPanelProps<S> {
  edit: Edit<Draft, S>;
  /** Asks the service what a draft would do. */
  compute: (draft: Draft, seen: S) => Promise<PlaybookEffect>;
  /** There is nothing to preview: the draft changes nothing. */
  idle?: boolean;
}

/** What the draft of a form would do to the queue, computed when the person asks for it. */
export function EffectPanel<S>({ edit, compute, idle = false }: EffectPanelProps<S>) {
  const { draft, seen } = edit;
  const asked = useMutation({
    mutationFn: (of: { draft: Draft; seen: S }) => compute(of.draft, of.seen),
  });
  const ask = () => {
    if (!idle && !asked.isPending) asked.mutate({ draft, seen });
  };
  useShortcuts([{ keys, label: "Preview the effect", group: "Playbook", run: ask }]);
  // Once the form is saved, its effect is no longer ahead.
  const current = asked.variables !== undefined && same(asked.variables.seen, seen);
  const stale = current && !asked.isPending && !sameEffect(asked.variables.draft, draft);
  return (
    <Card
      title="Effect"
      description="What the change would do to what is ordered, before it is saved."
      actions={
        <Button
          icon={<Calculator aria-hidden />}
          loading={asked.isPending}
          disabled={idle}
          onClick={ask}
          aria-keyshortcuts="Control+E Meta+E"
        >
          Preview the effect
          <span className="pointer-coarse:hidden" aria-hidden>
            <Keys keys={keys} />
          </span>
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <div role="status" className="flex flex-col gap-2">
          {stale && <Warning>You have changed the form since. Preview the effect again.</Warning>}
          {asked.isPending && <p className="text-muted">Computing what to order with the change…</p>}
          {current && asked.data && <Result effect={asked.data} draft={asked.variables.draft} />}
          {!current && !asked.isPending && <p className="text-muted">Not previewed yet.</p>}
        </div>
        {current && asked.error && <ErrorNote error={asked.error} />}
        {current && asked.data && <Articles effect={asked.data} />}
      </div>
    </Card>
  );
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      {children}
    </p>
  );
}

/** The sentence, and what must be known to read it. */
function Result({ effect, draft }: { effect: PlaybookEffect; draft: Draft }) {
  const { locale } = useLocale();
  const { articles, articles_total: total } = effect;
  const notes = [
    ...groupNotes(effect, locale),
    ...(isLater(draft, effect) ? ["As if it were in force today"] : []),
  ];
  return (
    <>
      {isPartial(effect) && <Warning>{partly({ done: articles, total }, locale)}</Warning>}
      <p className="font-medium text-base">{effectText(effect, locale)}</p>
      {notes.length > 0 && <p className="text-muted">{notes.join(" · ")}</p>}
      {articles > 0 && !isPartial(effect) && (
        <p className="text-muted">{wholly({ count: articles }, locale)}</p>
      )}
    </>
  );
}

function Articles({ effect: { largest, changed } }: { effect: PlaybookEffect }) {
  const { locale } = useLocale();
  if (largest.length === 0) return null;
  const caption =
    largest.length < changed
      ? largestOf({ shown: largest.length, count: changed }, locale)
      : "Articles that change";
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="font-medium">{caption}</h3>
      <EffectTable caption={caption} articles={largest} />
    </div>
  );
}
