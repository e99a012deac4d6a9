import { Link } from "@tanstack/react-router";
import { SearchX, Table2 } from "lucide-react";
import type { Table } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";

interface NoRowsProps {
  table: Table;
  filtered: boolean;
  search: string | undefined;
  onClear: () => void;
}

export function NoRows({ table, filtered, search, onClear }: NoRowsProps) {
  const { workspace } = usePlace();
  return (
    <Card>
      {search ? (
        <EmptyState
          icon={<SearchX aria-hidden />}
          action={
            <Button onClick={onClear}>{filtered ? "Clear search and filters" : "Clear the search"}</Button>
          }
          docs={{ href: "/docs", label: "What search finds" }}
        >
          No number, code or name in {table.title} begins with “{search}”
          {filtered && " and matches the filters"}.
        </EmptyState>
      ) : filtered ? (
        <EmptyState
          icon={<SearchX aria-hidden />}
          action={<Button onClick={onClear}>Clear the filters</Button>}
          docs={{ href: "/docs/tables", label: "How filters work" }}
        >
          No row of {table.title} matches the filters.
        </EmptyState>
      ) : table.computed ? (
        <EmptyState
          icon={<Table2 aria-hidden />}
          action={
            <Link
              to="/w/$workspace/tables/$slug"
              params={{ workspace: workspace.id, slug: "orders" }}
              className={buttonClass("primary")}
            >
              See the orders
            </Link>
          }
          docs={{ href: "/docs/computed-views", label: "What computed views show" }}
        >
          {table.title} has no rows as of this day; they are computed from orders.
        </EmptyState>
      ) : (
        <EmptyState
          icon={<Table2 aria-hidden />}
          action={
            <Link
              to="/w/$workspace/sources/$slug"
              params={{ workspace: workspace.id, slug: table.slug }}
              className={buttonClass("primary")}
            >
              Connect a system
            </Link>
          }
          docs={{ href: "/docs/ingest", label: "How to send records" }}
        >
          {table.title} has no rows yet; they appear when a system sends the first record.
        </EmptyState>
      )}
    </Card>
  );
}
