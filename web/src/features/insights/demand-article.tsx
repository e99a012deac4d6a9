import { Charts } from "@/features/articles/charts";
import { useArticle } from "@/features/articles/queries";
import { usePlace } from "@/lib/session";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { SkeletonText } from "@/ui/skeleton";
import { articleOf } from "./links";
import { To } from "./parts";

/** An article's weeks with its forecast, and its projected stock. */
export function DemandOfArticle({ product }: { product: string }) {
  const { workspace } = usePlace();
  const article = useArticle(product);
  const { data, error, refetch } = article;
  if (!data)
    return error ? (
      <ErrorNote error={error} retry={refetch} />
    ) : (
      <SkeletonText lines={12} label="Loading the article" />
    );
  const { demand, sku, family } = data;
  const unknown = demand?.flags.includes("unknown_stock");
  const facts = [
    sku,
    family,
    ...(demand ? [demand.class, `confidence ${demand.confidence}`] : ["no forecast yet"]),
    ...(unknown ? ["days without a report of stock count as in stock"] : []),
  ];
  return (
    <section className="flex flex-col gap-3">
      <LiveNote of={article} />
      <header>
        <h2 className="font-semibold">
          <To to={articleOf(workspace.id, product)}>{data.name}</To>
        </h2>
        <p className="text-muted">{facts.filter(Boolean).join(" · ")}</p>
      </header>
      <Charts article={data} />
    </section>
  );
}
