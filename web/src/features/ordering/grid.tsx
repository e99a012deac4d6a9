import type { OrderSupplierTerms, SupplierArticle } from "@/api/types.gen";
import { DataList } from "@/ui/data-list";
import { SearchField } from "@/ui/filter";
import { Num } from "@/ui/num";
import { ArticleName, Available, Cover, Incoming } from "./article";
import { useArticles } from "./queries";
import type { NewOrderSearch } from "./search";

interface GridProps {
  supplier: OrderSupplierTerms;
  search: NewOrderSearch;
  look: (next: NewOrderSearch) => void;
}

/** The articles of a supplier. */
export function Grid({ supplier, search, look }: GridProps) {
  const { order, text, pages } = search;
  const list = useArticles({ supplier: supplier.id, text, pages }, (more) =>
    look({ ...search, pages: more }),
  );
  return (
    <>
      <div className="mb-3 max-w-sm">
        <SearchField
          label="Search articles"
          placeholder="Name, SKU or supplier’s SKU"
          text={text}
          onSearch={(next) => look({ ...search, text: next, pages: undefined })}
        />
      </div>
      <DataList<SupplierArticle>
        caption={`Articles of ${supplier.name}`}
        noun="article"
        list={list}
        idOf={({ product_id }) => product_id}
        nameOf={({ name }) => name}
        columns={[
          {
            id: "article",
            head: "Article",
            cell: (article) => <ArticleName article={article} order={order} />,
          },
          {
            id: "available",
            head: "Available",
            num: true,
            cell: (article) => <Available article={article} />,
          },
          { id: "incoming", head: "Incoming", num: true, cell: (article) => <Incoming article={article} /> },
          { id: "cover", head: "Cover", num: true, cell: (article) => <Cover article={article} /> },
          {
            id: "suggested",
            head: "Suggested",
            num: true,
            cell: ({ recommendation: row }) => <Num value={row?.suggested_quantity || undefined} />,
          },
        ]}
        empty={
          <p className="px-6 py-10 text-center text-muted">
            {text ? "No article of this supplier matches." : "No article names this supplier."}
          </p>
        }
      />
    </>
  );
}
