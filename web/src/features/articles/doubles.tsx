import { Link } from "@tanstack/react-router";
import { ChevronLeft, Copy } from "lucide-react";
import type { Double } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { type Column, DataList } from "@/ui/data-list";
import { EmptyState } from "@/ui/empty-state";
import { Page } from "@/ui/page";
import { useDoubles } from "./doubles-queries";
import { MergeButton } from "./merge-button";

/** Articles that are stored twice, because one system sends their SKU alone and another an external_id too. */
export function DoublesPage() {
  const list = useDoubles();
  const { workspace, can } = usePlace();
  const columns: Column<Double>[] = [
    { id: "sku", head: "SKU", cell: ({ sku }) => <code className="font-mono text-xs">{sku}</code> },
    { id: "double", head: "Without an external_id", cell: (one) => <ArticleLink {...one} /> },
    { id: "others", head: "With one", cell: (one) => <Others of={one} /> },
  ];
  if (can("edit_records"))
    columns.push({
      id: "merge",
      head: "Merge",
      hiddenHead: true,
      className: "w-0",
      cell: (one) => <MergeButton double={one} />,
    });
  return (
    <Page
      title="Doubles"
      above={
        <Link
          to="/w/$workspace/failures"
          params={{ workspace: workspace.id }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Failed imports
        </Link>
      }
      description="Articles that are stored twice: one system sends only their SKU, and another an external_id too. Merged, they are one article for both."
    >
      <DataList
        caption="Articles that are stored twice"
        noun="article"
        list={list}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={columns}
        card={(one) => (
          <div className="flex flex-col gap-1.5 py-1">
            <span className="flex items-center justify-between gap-3">
              <span className="min-w-0">
                <code className="break-all font-mono text-xs">{one.sku}</code> <ArticleLink {...one} />
              </span>
              {can("edit_records") && <MergeButton double={one} />}
            </span>
            <Others of={one} />
          </div>
        )}
        empty={
          <EmptyState
            icon={<Copy aria-hidden />}
            action={
              <Link
                to="/w/$workspace/tables/$slug"
                params={{ workspace: workspace.id, slug: "products" }}
                className={buttonClass()}
              >
                See all products
              </Link>
            }
            docs={{ href: "/docs/ingest#doubles", label: "How articles come twice" }}
          >
            No article is stored twice.
          </EmptyState>
        }
      />
    </Page>
  );
}

function Others({ of: { others } }: { of: Double }) {
  return (
    <ul className="flex flex-col gap-1 md:py-1">
      {others.map((other) => (
        <li key={other.id} className="flex flex-wrap items-baseline gap-x-2">
          <ArticleLink {...other} />
          <code className="break-all font-mono text-muted text-xs">{other.external_id}</code>
          {other.status === "archived" && <span className="text-muted text-xs">archived</span>}
        </li>
      ))}
    </ul>
  );
}

function ArticleLink({ id, name }: { id: string; name: string }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/products/$record"
      params={{ workspace: workspace.id, record: id }}
      className="rounded-sm text-accent-ink hover:underline"
    >
      {name}
    </Link>
  );
}
