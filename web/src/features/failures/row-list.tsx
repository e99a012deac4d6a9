import { Link } from "@tanstack/react-router";
import type { Failure } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import type { useListKeys } from "@/lib/list-keys";
import { useLocale } from "@/lib/locale";
import { useWide } from "@/lib/media";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Checkbox } from "@/ui/checkbox";
import { Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { NothingFailed } from "./nothing-failed";
import { type useFailures, useTables } from "./queries";
import { Reason } from "./reason";
import { messageBeside } from "./reasons";
import { useFailureSearch, views } from "./use-search";

interface RowListProps {
  list: ReturnType<typeof useFailures>;
  total: number | undefined;
  /** Beside an open row. */
  compact: boolean;
  /** Absent for who may do nothing with a selection. */
  selected: ReadonlySet<string> | undefined;
  onSelect: (selected: ReadonlySet<string>) => void;
  keys: ReturnType<typeof useListKeys>;
}

export function RowList({ list, total, compact, selected, onSelect, keys }: RowListProps) {
  const { search, status } = useFailureSearch("rows");
  const roomy = useWide("md") && !compact;
  const failures = list.failures ?? [];
  if (failures.length === 0)
    return (
      <Card flush>
        <NothingFailed view="rows" />
      </Card>
    );
  const all = selected !== undefined && failures.every((one) => selected.has(one.id));
  const some = selected !== undefined && !all && failures.some((one) => selected.has(one.id));
  const withTable = roomy && !search.table;
  return (
    <Card flush>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the links inside */}
      <div onKeyDown={keys.onKeyDown}>
        <Table caption={`${status} failed imports`}>
          <thead>
            <tr>
              {selected && (
                <Th className="w-8 pr-0!">
                  <Checkbox
                    aria-label="Select all rows shown"
                    checked={all}
                    indeterminate={some}
                    onCheckedChange={(on) => onSelect(new Set(on ? failures.map((one) => one.id) : []))}
                  />
                </Th>
              )}
              {roomy ? (
                <>
                  <Th>Record</Th>
                  <Th>What was wrong</Th>
                  {withTable && <Th>Table</Th>}
                  <Th num>Seen</Th>
                  <Th>{status === "open" ? "Last seen" : "Closed"}</Th>
                </>
              ) : (
                <Th>Record</Th>
              )}
            </tr>
          </thead>
          <tbody>
            {failures.map((one) => (
              <Row
                key={one.id}
                failure={one}
                roomy={roomy}
                withTable={withTable}
                selected={selected?.has(one.id)}
                onToggle={(on) => {
                  const next = new Set(selected);
                  if (on) next.add(one.id);
                  else next.delete(one.id);
                  onSelect(next);
                }}
                keys={keys}
              />
            ))}
          </tbody>
        </Table>
      </div>
      <Foot list={list} shown={failures.length} total={total} />
    </Card>
  );
}

interface RowProps {
  failure: Failure;
  roomy: boolean;
  withTable: boolean;
  /** Absent: rows cannot be selected. */
  selected: boolean | undefined;
  onToggle: (on: boolean) => void;
  keys: ReturnType<typeof useListKeys>;
}

function Row({ failure, roomy, withTable, selected, onToggle, keys }: RowProps) {
  const { workspace } = usePlace();
  const { search, go } = useFailureSearch("rows");
  const title = useTables();
  const shown = search.open === failure.id;
  const next = { ...search, open: failure.id };
  const link = (
    <Link
      to={views.rows}
      params={{ workspace: workspace.id }}
      search={next}
      replace={search.open !== undefined}
      resetScroll={false}
      aria-current={shown || undefined}
      {...keys.rowProps(failure.id)}
      className="block truncate rounded-sm font-medium"
    >
      {failure.record_key ? (
        <span className="font-mono text-xs">{failure.record_key}</span>
      ) : (
        <span className="text-muted">no key</span>
      )}
    </Link>
  );
  const time = <Time value={failure.closed_at ?? failure.last_seen_at} />;
  return (
    <Tr
      selected={selected}
      className={cx(
        "cursor-pointer has-[[data-row]:focus-visible]:bg-hover/60",
        shown && "bg-hover shadow-[inset_2px_0_0_var(--accent)]",
      )}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest("a,button,time,input")) return;
        go(next, { replace: search.open !== undefined });
      }}
    >
      {selected !== undefined && (
        <Td className="w-8 pr-0!">
          <Checkbox
            aria-label={`Select ${failure.record_key ?? "the record without a key"}`}
            checked={selected}
            onCheckedChange={onToggle}
          />
        </Td>
      )}
      {roomy ? (
        <>
          <Td className="max-w-56">{link}</Td>
          <Td className="w-full max-w-0">
            <span className="flex items-baseline gap-2">
              <span className="shrink-0">
                <Reason code={failure.code} field={failure.field} />
              </span>
              <span className="min-w-0 truncate text-muted" title={failure.message}>
                {failure.closed_reason ?? messageBeside(failure.field, failure.message)}
              </span>
            </span>
          </Td>
          {withTable && <Td className="whitespace-nowrap text-muted">{title(failure.slug)}</Td>}
          <Td num className="text-muted">
            <Num value={failure.seen} />
          </Td>
          <Td className="text-muted">{time}</Td>
        </>
      ) : (
        <Td className="w-full max-w-0 py-1.5">
          <span className="flex items-baseline justify-between gap-3">
            {link}
            <span className="shrink-0 text-right text-subtle text-xs">{time}</span>
          </span>
          <span className="block truncate text-muted text-xs" title={failure.message}>
            {failure.closed_reason ?? failure.message}
          </span>
        </Td>
      )}
    </Tr>
  );
}

interface FootProps {
  list: ReturnType<typeof useFailures>;
  shown: number;
  total: number | undefined;
}

function Foot({ list, shown, total }: FootProps) {
  const { locale } = useLocale();
  const of = total !== undefined && total > shown ? ` of ${formatNumber(total, locale)}` : "";
  return (
    <div className="flex items-center justify-between gap-3 border-line border-t px-4 py-2 text-subtle text-xs">
      <span>
        {formatNumber(shown, locale)}
        {of} shown
      </span>
      {list.hasNextPage && (
        <Button size="sm" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}
