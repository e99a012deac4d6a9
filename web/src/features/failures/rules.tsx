import { Link } from "@tanstack/react-router";
import { ChevronLeft, ListChecks } from "lucide-react";
import type { IngestRule } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ListStates } from "@/ui/list-states";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { useTables } from "./queries";
import { useRules } from "./rule-queries";
import { RuleRow } from "./rule-row";
import { views } from "./use-search";

/** The fixes that are kept as rules, by table, in the order in which they are applied. */
export function RulesPage() {
  const { workspace } = usePlace();
  const list = useRules();
  const params = { workspace: workspace.id };
  return (
    <Page
      title="Rules"
      description="Fixes that are made to every record that other systems send, before it is checked. The answer names the changed fields in Ingest-Coerced."
      above={
        <Link
          to={views.groups}
          params={params}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Failed imports
        </Link>
      }
    >
      <ListStates list={list} loading={<SkeletonText lines={6} label="Loading the rules" />}>
        {(rows) =>
          rows.length === 0 ? (
            <Card flush>
              <EmptyState
                icon={<ListChecks aria-hidden />}
                action={
                  <Link to={views.groups} params={params} className={buttonClass()}>
                    See the failed imports
                  </Link>
                }
                docs={{ href: "/docs/failed-imports#rules", label: "How rules work" }}
              >
                No rules yet. When you fix a group of failed imports, you can keep the fix as a rule.
              </EmptyState>
            </Card>
          ) : (
            <RulesByTable rules={rows} />
          )
        }
      </ListStates>
    </Page>
  );
}

function RulesByTable({ rules }: { rules: readonly IngestRule[] }) {
  const title = useTables();
  const tables = [...new Set(rules.map(({ slug }) => slug))];
  return (
    <div className="flex flex-col gap-6">
      {tables.map((slug) => {
        const own = rules.filter((rule) => rule.slug === slug);
        return (
          <section key={slug}>
            <h2 className="mb-2 font-medium text-ink">{title(slug)}</h2>
            <Card flush>
              <ol aria-label={`Rules of ${title(slug)}`} className="divide-y divide-line">
                {own.map((rule, index) => (
                  <RuleRow key={rule.id} rule={rule} place={index + 1} of={own.length} />
                ))}
              </ol>
            </Card>
          </section>
        );
      })}
    </div>
  );
}
