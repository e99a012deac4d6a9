import { useDeferredValue, useState } from "react";
import type { Row } from "@/api/types.gen";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Suggest } from "@/ui/suggest";
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
  const { data } = useRows(
    "products",
    { select_fields: ["sku", "name"], limit: 20, sort_by: "name", ...(wanted && { search: wanted }) },
    seldomMs,
  );
  const articles = data?.items ?? [];
  return (
    <span className="flex items-end gap-2">
      <Field label={<span className="sr-only">Article</span>} className="w-72 max-w-full gap-0!">
        <Suggest
          options={articles.map((row) => ({ value: nameOf(row) }))}
          value={typed ?? chosen ?? "All articles"}
          onValueChange={(text) => {
            const found = articles.find((row) => nameOf(row) === text);
            setTyped(found ? undefined : text);
            if (found) onChoose(found.id);
          }}
          onBlur={() => setTyped(undefined)}
          empty="No article matches."
        />
      </Field>
      {chosen && (
        <Button size="sm" onClick={() => onChoose(undefined)}>
          All articles
        </Button>
      )}
    </span>
  );
}
