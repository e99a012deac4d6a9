import { useNavigate } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import type { ArticlePage as Article } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { useDoublesOf } from "./doubles-queries";
import { MergeButton } from "./merge-button";

/** Says that an article is stored twice, and merges the two. */
export function DoubleNote({ article }: { article: Article }) {
  const { workspace, can } = usePlace();
  const navigate = useNavigate();
  const double = useDoublesOf(article.sku)[0];
  if (!double) return null;
  const itself = double.id === article.id;
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-2 text-warn-ink">
      <Copy className="size-4 shrink-0" aria-hidden />
      <span className="wrap-anywhere flex-1 basis-64">
        Stored twice:{" "}
        {itself ? "another article with an external_id" : "another article without an external_id"} has this
        SKU, so stock, orders and sales are divided between the two.
      </span>
      {can("edit_records") && (
        <MergeButton
          double={double}
          onMerged={(into) =>
            navigate({
              to: "/w/$workspace/products/$record",
              params: { workspace: workspace.id, record: into },
              replace: true,
            })
          }
        />
      )}
    </p>
  );
}
