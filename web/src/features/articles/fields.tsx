import { Link } from "@tanstack/react-router";
import type { ArticlePage } from "@/api/types.gen";
import { RuleList } from "@/features/procurement/rule-list";
import { type Known, loaded } from "@/features/subject/all-fields";
import { Part } from "@/features/subject/part";
import { FieldValue } from "@/features/tables/record-fields";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { daysOf } from "@/messages/articles";
import { leadSource } from "./words";

const settings = [
  "supplier_sku",
  "lead_time_days",
  "moq",
  "order_multiple",
  "safety_stock",
  "reorder_point",
  "cover_days",
  "do_not_reorder",
];

/** What decides how the article is ordered. */
export function Settings({ article, record }: { article: ArticlePage; record: Known }) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const { lead_time } = article;
  return (
    <Part
      title="Purchasing settings"
      description={`Lead time in use: ${daysOf({ count: Math.ceil(lead_time.days) }, locale)}, ${leadSource(lead_time)}.`}
      of={loaded(record)}
      actions={
        <Link
          to="/w/$workspace/tables/$slug"
          params={{ workspace: workspace.id, slug: "products" }}
          search={{ filters: { id: { eq: article.id } }, columns: ["sku", "name", ...settings].join(",") }}
          className="rounded-sm text-accent-ink hover:underline"
        >
          Change
        </Link>
      }
    >
      {({ table, row }) => (
        <div className="grid gap-4">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)]">
            {table.columns
              .filter(({ name }) => settings.includes(name))
              .map((column) => (
                <div key={column.name} className="contents">
                  <dt className="text-muted">{column.label}</dt>
                  <dd className="min-w-0">
                    <FieldValue table={table.slug} column={column} row={row} />
                  </dd>
                </div>
              ))}
          </dl>
          <div>
            <h3 className="pb-1 font-medium">From the playbook</h3>
            <RuleList rules={article.settings} own={{ cover_days: row.values.cover_days?.toString() }} />
          </div>
        </div>
      )}
    </Part>
  );
}
