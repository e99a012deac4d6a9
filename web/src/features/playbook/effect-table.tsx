import { Link } from "@tanstack/react-router";
import type { EffectArticle, EffectSuggestion } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Money, Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { groupWords } from "./effect";

/** Articles with what is suggested for them now and with the change. */
export function EffectTable({ caption, articles }: { caption: string; articles: EffectArticle[] }) {
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <Table caption={caption}>
        <thead>
          <tr>
            <Th>Article</Th>
            <Th num className="max-sm:px-2">
              Now
            </Th>
            <Th num className="max-sm:whitespace-normal max-sm:px-2">
              With the change
            </Th>
          </tr>
        </thead>
        <tbody>
          {articles.map((article) => (
            <Tr key={article.product_id}>
              <Td className="w-full max-w-0 py-1.5 align-top max-sm:pr-1">
                <ArticleLink {...article} />
              </Td>
              <Td num className="py-1.5 align-top max-sm:px-2">
                <Suggested of={article.before} currency={article.currency} />
              </Td>
              <Td num className="py-1.5 align-top max-sm:px-2">
                <Suggested of={article.after} currency={article.currency} />
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

function ArticleLink({ product_id, name, sku }: EffectArticle) {
  const { workspace } = usePlace();
  return (
    <span className="flex flex-col">
      <Link
        to="/w/$workspace/products/$record"
        params={{ workspace: workspace.id, record: product_id }}
        className="rounded-sm font-medium leading-6 hover:underline max-sm:wrap-anywhere sm:truncate"
        title={name}
      >
        {name}
      </Link>
      {sku && <span className="truncate font-mono text-muted text-xs">{sku}</span>}
    </span>
  );
}

/**
 * The group, the quantity and its cost, and whether it is critical. For what is drafted or put off,
 * the quantity is still only suggested: it is not what was drafted.
 */
function Suggested({ of, currency }: { of: EffectSuggestion; currency: string | undefined }) {
  const { group, suggested_quantity: quantity, line_cost: cost, urgency } = of;
  if (group === "none") return <span className="leading-6">{groupWords.none}</span>;
  const answered = group === "drafted" || group === "put_off";
  return (
    <span className="flex flex-col items-end leading-6 max-sm:leading-5 sm:whitespace-nowrap">
      <span>
        {groupWords[group]} {quantity > 0 && !answered && <Num value={quantity} className="font-medium" />}
      </span>
      <span className="flex flex-col items-end text-muted text-xs leading-4">
        {quantity > 0 && answered && (
          <span>
            suggested <Num value={quantity} />
          </span>
        )}
        {quantity > 0 && cost !== undefined && <Money amount={cost} {...(currency && { currency })} />}
        {urgency === "critical" && <span className="font-medium text-bad-ink">Critical</span>}
      </span>
    </span>
  );
}
