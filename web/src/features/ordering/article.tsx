import { Link } from "@tanstack/react-router";
import type { OnItsWay, OrderableArticle } from "@/api/types.gen";
import { Marks, Urgency } from "@/features/procurement/badges";
import { sumOf } from "@/features/purchasing/model";
import { Day } from "@/features/purchasing/parts";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { Num } from "@/ui/num";

interface ArticleProps {
  article: OrderableArticle;
  /** The order that is being made. Its own lines are not told as on their way. */
  order: string | undefined;
}

export const isDraft = ({ status }: OnItsWay) => status === "draft" || status === "pending_approval";

/** The open lines of an article in other orders. */
export const elsewhere = ({ article, order }: ArticleProps) =>
  article.on_its_way.filter(({ order_no }) => order_no !== order);

/** The name with its variant, the codes, how urgent it is, and what speaks against ordering it. */
export function ArticleName({ article, order }: ArticleProps) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const { sku, supplier_sku: theirs, recommendation: row } = article;
  const drafts = elsewhere({ article, order }).filter(isDraft);
  return (
    <span className="flex min-w-0 flex-col">
      <Link
        to="/w/$workspace/products/$record"
        params={{ workspace: workspace.id, record: article.product_id }}
        tabIndex={-1}
        className="truncate rounded-sm font-medium leading-6 hover:underline"
      >
        {article.name}
        {article.variant_name && <span className="text-muted"> · {article.variant_name}</span>}
      </Link>
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-muted text-xs">
        {row && row.action !== "none" && <Urgency urgency={row.urgency} />}
        <code className="break-all font-mono">{sku}</code>
        {theirs && theirs !== sku && <span className="break-all">theirs {theirs}</span>}
      </span>
      {row && <Marks row={{ ...row, lock: undefined }} />}
      {drafts.map((line) => (
        <Link
          key={line.line_id}
          to="/w/$workspace/purchase-orders/$order"
          params={{ workspace: workspace.id, order: line.order_no ?? "" }}
          tabIndex={-1}
          className="self-start rounded-sm text-warn-ink text-xs leading-6 hover:underline"
        >
          {line.status === "draft" ? "Drafted" : "Pending approval"}, {formatNumber(line.quantity, locale)} in{" "}
          {line.order_no}
        </Link>
      ))}
      {row?.put_off_until && (
        <span className="text-muted text-xs">
          Put off until <Day day={row.put_off_until} />
        </span>
      )}
    </span>
  );
}

/** What is ordered and not here yet, with the day of the next delivery. */
export function Incoming({ article }: Pick<ArticleProps, "article">) {
  const { recommendation: row } = article;
  const ordered = article.on_its_way.filter((line) => !isDraft(line));
  const quantity = row
    ? row.open_purchase_order_quantity
    : Number(sumOf(ordered.map((line) => line.quantity)));
  const next =
    row?.next_arrival_date ?? ordered.flatMap((line) => line.expected_arrival_date ?? []).sort()[0];
  return (
    <span className="flex flex-col md:items-end">
      <Num value={quantity} className="max-md:text-left" />
      {quantity > 0 && next && (
        <span className="text-muted text-xs">
          <Day day={next} late={ordered.some((line) => line.overdue)} />
        </span>
      )}
    </span>
  );
}

export const Available = ({ article: { recommendation } }: Pick<ArticleProps, "article">) => (
  <Num value={recommendation?.available} estimate />
);

/** The days until the stock is used up, with and without what is on order. */
export function Cover({ article: { recommendation: row } }: Pick<ArticleProps, "article">) {
  const tenths = (value: number | undefined) => value && Math.round(value * 10) / 10;
  return <Num value={tenths(row?.days_of_cover)} unit="d" />;
}
