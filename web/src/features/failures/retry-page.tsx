import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft, Send } from "lucide-react";
import { useEffect, useState } from "react";
import { startBulkRetry } from "@/api/sdk.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { importsRetry } from "@/messages/failure";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Checkbox } from "@/ui/checkbox";
import { ErrorNote } from "@/ui/error-note";
import { lazyPart } from "@/ui/lazy-part";
import { Page } from "@/ui/page";
import { usePreview, useReloadBulkRetries, useValues } from "./bulk-queries";
import { toQuery } from "./filter-query";
import { FilterWords } from "./filter-words";
import { FixList } from "./fix-list";
import { fixProblem, knownFields, likelyFixes, toFix } from "./fixes";
import { everySender, type Keeping, KeepRule, likelySender } from "./keep-rule";
import { Preview } from "./preview";
import { useColumns } from "./queries";
import type { DraftFix } from "./retry-search";
import { useReloadRules } from "./rule-queries";
import { views } from "./use-search";
import { inTable } from "./values";

const ValueTable = lazyPart(async () => (await import("./value-table")).ValueTable);

const none: DraftFix[] = [];
const route = "/inside/w/$workspace/failures/retry";

/** Retries all matching failed imports in the background, with optional fixes. */
export function RetryPage() {
  const { can } = usePlace();
  if (can("retry_failures")) return <RetryMany />;
  return (
    <Page title="Fix and retry" above={<Back />}>
      <p className="text-base text-muted">Buyers and Company-Admins retry failed imports. Ask one of them.</p>
    </Page>
  );
}

function RetryMany() {
  const { workspace, can } = usePlace();
  const { locale } = useLocale();
  const { fixes: kept = none, ...filter } = useSearch({ from: route });
  const [fixes, setFixes] = useSettledFixes(kept);
  const [overwrite, setOverwrite] = useState(false);
  const [keeping, setKeeping] = useState<Keeping>({ kept: false });
  const columns = useColumns(filter.table);
  const query = toQuery(filter, workspace.time_zone, Date.now());
  const plan = { filter: query, fixes: kept.map(toFix) };
  const preview = usePreview(plan, { filter, fixes: kept }, true);
  // A missing field has no values, and the rest of the payload has no field.
  const field = filter.table && filter.code !== "required" ? filter.field : undefined;
  const { data: values } = useValues(query, filter, field);
  const isShown = (fix: DraftFix) => inTable(fix, field, values);
  const shown = fixes.filter(isShown);
  const others = fixes.filter((fix) => !isShown(fix));
  const incomplete = fixes.some((fix) => fixProblem(fix) !== undefined);
  const settled = !incomplete && JSON.stringify(fixes) === JSON.stringify(kept);
  const { data } = preview;
  const samples = data?.samples ?? [];
  const good = samples.filter((sample) => sample.status === 200).length;
  const start = useStart(preview.refetch);
  // A rule is about one table, and a part of what it accepts.
  const keepable = can("define_tables") && filter.table !== undefined && kept.length > 0;
  const sender = keeping.key ?? likelySender(filter, samples);
  const keep = keepable && keeping.kept && { keep: sender === everySender ? {} : { key: sender } };
  return (
    <Page
      title="Fix and retry"
      description={<FilterWords filter={filter} />}
      above={<Back filter={filter} />}
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(20rem,2fr)_minmax(0,3fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          {field && values && values.items.length > 0 && (
            <ValueTable
              field={field}
              column={columns.find(({ name }) => name === field)}
              values={values}
              fixes={shown}
              onChange={(next) => setFixes([...next, ...others])}
            />
          )}
          <Card
            title={shown.length > 0 || values?.items.length ? "Other changes" : "Changes"}
            description="Applied to every payload, in this order. Without changes, each payload is sent again as it is."
          >
            <FixList
              fixes={others}
              onChange={(next) => setFixes([...shown, ...next])}
              offers={likelyFixes(samples, columns).filter((offer) => offer.do !== "map" || !values)}
              fields={knownFields(samples, columns)}
              columns={columns}
              samples={samples}
            />
            <div className="mt-4 border-line border-t pt-4">
              <Checkbox
                label="Overwrite newer rows"
                hint="Otherwise a record that was changed after its import failed is not overwritten."
                checked={overwrite}
                onCheckedChange={setOverwrite}
              />
            </div>
            {keepable && (
              <KeepRule
                filter={filter}
                fixes={plan.fixes}
                samples={samples}
                keeping={keeping}
                onChange={setKeeping}
              />
            )}
            {start.error && (
              <div className="mt-4">
                <ErrorNote error={start.error} />
              </div>
            )}
            <div className="mt-4">
              <Button
                variant={good > 0 ? "primary" : "secondary"}
                icon={<Send aria-hidden />}
                loading={start.isPending}
                disabled={!data || data.count === 0 || !settled || preview.isPlaceholderData}
                onClick={() =>
                  data && start.mutate({ plan: { ...plan, overwrite }, expected: data.count, ...keep })
                }
              >
                {data ? importsRetry({ count: data.count }, locale) : "Retry"}
              </Button>
              {data && data.count > 0 && good === 0 && settled && (
                <p className="mt-2 text-muted text-xs">
                  None of the samples would be stored; records that are refused again stay open.
                </p>
              )}
            </div>
          </Card>
        </div>
        <Preview preview={preview} stale={!settled} changed={kept.length > 0} />
      </div>
    </Page>
  );
}

function Back({ filter = {} }: { filter?: object }) {
  const { workspace } = usePlace();
  return (
    <Link
      to={views.rows}
      params={{ workspace: workspace.id }}
      search={filter}
      className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
    >
      <ChevronLeft className="size-4" aria-hidden />
      Failed imports
    </Link>
  );
}

/**
 * The fixes as typed. When they are complete and the person has stopped typing, they go into the
 * address: then they are previewed, and survive a reload.
 */
function useSettledFixes(kept: DraftFix[]): [DraftFix[], (fixes: DraftFix[]) => void] {
  const [fixes, setFixes] = useState(kept);
  const navigate = useNavigate();
  const [typed, held] = [JSON.stringify(fixes), JSON.stringify(kept)];
  const whole = fixes.every((fix) => fixProblem(fix) === undefined);
  useEffect(() => {
    // Fixes that the address already holds are not set again: that would cancel a navigation to
    // another page that has just begun.
    if (!whole || typed === held) return;
    const timer = setTimeout(() => {
      void navigate({
        from: "/w/$workspace/failures/retry",
        to: ".",
        search: (old) => ({ ...old, fixes: JSON.parse(typed) as DraftFix[] }),
        replace: true,
        resetScroll: false,
      });
    }, 350);
    return () => clearTimeout(timer);
  }, [typed, held, whole, navigate]);
  return [fixes, setFixes];
}

function useStart(lookAgain: () => unknown) {
  const { workspace } = usePlace();
  const navigate = useNavigate();
  const reload = useReloadBulkRetries();
  const reloadRules = useReloadRules();
  type Body = Parameters<typeof startBulkRetry>[0]["body"];
  return useMutation({
    mutationFn: (body: Body) =>
      startBulkRetry({ path: { workspace: workspace.id }, body, throwOnError: true }),
    onSuccess: async () => {
      await Promise.all([reload(), reloadRules()]);
      await navigate({ to: "/w/$workspace/failures/retries", params: { workspace: workspace.id } });
    },
    // If more failed imports match by now, the count shown is out of date.
    onError: () => void lookAgain(),
  });
}
