import { ArticleLink } from "@/features/subject/links";

interface ArticleNameProps {
  of: { product_id?: string; name?: string; sku: string };
}

/** The article of a line. Its variants share a name, so the SKU is beside it. */
export function ArticleName({ of: { product_id, name, sku } }: ArticleNameProps) {
  return (
    <>
      <ArticleLink id={product_id} name={name ?? sku} />
      {name && <span className="text-muted text-xs"> {sku}</span>}
    </>
  );
}
