import { useDeferredValue, useId, useState } from "react";
import type { Row } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { textOf } from "./model";
import { seldomMs, useRows } from "./queries";

interface ArticleFieldProps {
  /** The chosen article's name, once it is known. */
  chosen: string | undefined;
  onChoose: (product: string | undefined) => void;
}

const nameOf = ({ values }: Row) => [values.sku, values.name].map(textOf).filter(Boolean).join(" · ");

/** Chooses one article, or all of them. */
export function ArticleField({ chosen, onChoose }: ArticleFieldProps) {
  const [typed, setTyped] = useState<string>();
  const wanted = useDeferredValue(typed?.trim() ?? "");
  const { data, isPlaceholderData } = useRows(
    "products",
    { select_fields: ["sku", "name"], limit: 20, sort_by: "name", ...(wanted && { search: wanted }) },
    seldomMs,
  );
  const articles = data?.items ?? [];
  // The articles of the text before are still offered, but Enter must not take one of them.
  const found = !isPlaceholderData && wanted === typed?.trim();
  const id = useId();
  const choose = (row: Row | undefined) => {
    if (!row) return;
    setTyped(undefined);
    onChoose(row.id);
  };
  return (
    <span className="flex items-end gap-2">
      <span className="w-72 max-w-full">
        {/* The browser's own list: the page has no room for another. Enter takes the first article. */}
        <Input
          aria-label="Article"
          list={id}
          placeholder={chosen ?? "All articles"}
          value={typed ?? ""}
          onChange={(event) => {
            const text = event.currentTarget.value;
            setTyped(text);
            choose(articles.find((row) => nameOf(row) === text));
          }}
          onKeyDown={(event) => event.key === "Enter" && typed && found && choose(articles[0])}
        />
      </span>
      <datalist id={id}>
        {articles.map((row) => (
          <option key={row.id} value={nameOf(row)} />
        ))}
      </datalist>
      {chosen && (
        <Button size="sm" onClick={() => onChoose(undefined)}>
          All articles
        </Button>
      )}
    </span>
  );
}
