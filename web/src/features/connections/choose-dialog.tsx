import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { listExchangeCatalogueOptions } from "@/api/@tanstack/react-query.gen";
import type { Connection, Match } from "@/api/types.gen";
import { SearchPicker } from "@/features/purchasing/pickers";
import { matchRank } from "@/lib/match";
import { usePlace } from "@/lib/session";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import type { There } from "./map";
import { kindWords, nameOf } from "./words";

interface ChooseDialogProps {
  connection: Connection;
  match: Match;
  onChoose: (there: There) => Promise<void>;
  onClosed: () => void;
}

/** Finds the counterpart of something: a supplier or location by name, an article by its SKU there. */
export function ChooseDialog({ connection, match, onChoose, onClosed }: ChooseDialogProps) {
  const [open, setOpen] = useState(true);
  const { workspace } = usePlace();
  const article = match.kind === "article";
  const [text, setText] = useState(article ? (match.code ?? "") : "");
  const sku = useSettled(text);
  const { data, error, isFetching, refetch } = useQuery({
    ...listExchangeCatalogueOptions({
      path: { workspace: workspace.id, connection: connection.id },
      query: { kind: match.kind, ...(article && { sku }) },
    }),
    enabled: !article || sku !== "",
    staleTime: 300_000,
    retry: false,
  });
  const {
    mutate,
    isPending,
    error: refused,
  } = useMutation({
    mutationFn: onChoose,
    onSuccess: () => setOpen(false),
  });
  const waiting = isFetching || (article && sku !== text.trim());
  const items = article ? (data?.items ?? []) : ranked(data?.items ?? [], text);
  return (
    <Dialog
      title={`What is “${nameOf(match)}” in ${connection.name}?`}
      description={
        article ? "Type the SKU that it has there." : `Type the ${kindWords[match.kind].one}’s name there.`
      }
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
    >
      <div className="flex flex-col gap-3">
        <SearchPicker
          label={article ? "SKU there" : "Name there"}
          text={text}
          setText={setText}
          items={items}
          stale={waiting || isPending}
          textOf={(item) => item.name ?? item.id}
          keyOf={(item) => item.id}
          onPick={(item) => mutate(item)}
          show={(item) => (
            <>
              <span>{item.name || "No name"}</span>
              <span className="text-muted text-xs">id {item.id}</span>
            </>
          )}
          empty={article ? "No article there has exactly this SKU." : "Nothing there is called that."}
        />
        {error && <ErrorNote error={error} retry={refetch} />}
        {refused && <ErrorNote error={refused} />}
      </div>
    </Dialog>
  );
}

/** Those whose name or id matches the text, the best first. */
function ranked(items: readonly There[], text: string): There[] {
  return items
    .map((item) => ({ item, rank: matchRank(`${item.name ?? ""} ${item.id}`, text) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ item }) => item);
}

/** The text after a pause in typing: each look-up is a call of the connection's budget. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text.trim());
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), 500);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
