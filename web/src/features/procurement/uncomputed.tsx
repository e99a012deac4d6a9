import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { QueueSummary } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { uncomputed } from "@/messages/procurement";

/** The articles that cannot be computed because of their data, with why. */
export function Uncomputed({ summary }: { summary: QueueSummary | undefined }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  if (!summary || summary.not_computed.length === 0) return null;
  const { not_computed: articles, more_not_computed } = summary;
  return (
    <details className="mb-3 text-warn-ink" open={articles.length === 1}>
      <summary className="flex min-h-6 cursor-pointer items-start gap-2 rounded-sm">
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
        {uncomputed({ count: articles.length, more: Number(more_not_computed) }, locale)}
      </summary>
      <ul className="mt-1 ml-6 flex flex-col gap-0.5">
        {articles.map((article) => (
          <li key={article.product_id} className="wrap-anywhere">
            <Link
              to="/w/$workspace/products/$record"
              params={{ workspace: workspace.id, record: article.product_id }}
              className="rounded-sm font-medium underline decoration-dotted underline-offset-2"
            >
              {article.name}
            </Link>
            : {article.reason}
          </li>
        ))}
      </ul>
    </details>
  );
}
