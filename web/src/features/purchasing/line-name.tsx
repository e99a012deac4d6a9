import { Link } from "@tanstack/react-router";
import type { Line } from "@/api/types.gen";
import { usePlace } from "@/lib/session";

interface LineNameProps {
  line: Pick<Line, "sku" | "product_name" | "product_id">;
  /** Links to the article's page. */
  linked?: boolean;
}

export function LineName({ line, linked }: LineNameProps) {
  const { workspace } = usePlace();
  const sku = <code className="break-all font-mono text-xs">{line.sku}</code>;
  return (
    <span className="flex min-w-0 flex-col">
      {linked && line.product_id ? (
        <Link
          to="/w/$workspace/products/$record"
          params={{ workspace: workspace.id, record: line.product_id }}
          className="rounded-sm text-accent-ink hover:underline"
        >
          {sku}
        </Link>
      ) : (
        sku
      )}
      <span className="text-muted">{line.product_name ?? "Article not known"}</span>
    </span>
  );
}
