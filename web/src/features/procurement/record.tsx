import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Scale } from "lucide-react";
import type { ReactNode } from "react";
import type { TrackRecord, TrackRecordFigures } from "@/api/types.gen";
import { Totals } from "@/features/purchasing/parts";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { daysToDecide, inOrders } from "@/messages/record";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { Num } from "@/ui/num";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Tabs } from "@/ui/tabs";
import { BackToQueue, CasesLink, SpanFields } from "./record-parts";
import { useTrackRecord } from "./record-queries";
import { groupings, type RecordSearch, readRecordSearch, type Span } from "./record-search";
import { RecordTable } from "./record-table";
import {
  causeWords,
  emptySum,
  judgedWords,
  notOrderedSum,
  notOrderedWords,
  orderedSum,
  orderedWords,
} from "./record-words";

/** What was suggested, what was decided, and what happened. */
export function TrackRecordPage() {
  const { workspace } = usePlace();
  const search = readRecordSearch({ ...useSearch({ from: "/inside/w/$workspace/to-order/record" }) });
  const go = useNavigate();
  const { by = "buyer", from, to } = search;
  const query = useTrackRecord(by, search);
  const { data, error, refetch } = query;
  const look = (change: RecordSearch) =>
    void go({
      to: "/w/$workspace/to-order/record",
      params: { workspace: workspace.id },
      search: readRecordSearch({ ...search, ...change }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Page title="Track record" description={<About record={data} />} above={<BackToQueue />}>
      <div className="flex flex-col gap-4">
        <search className="flex">
          <SpanFields span={{ from, to }} shown={data} onChange={look} />
        </search>
        {!data && error && <ErrorNote error={error} retry={refetch} />}
        {!data && !error && <SkeletonText lines={10} label="Loading the track record" />}
        {data?.total.suggested === 0 && <Nothing />}
        {data && data.total.suggested > 0 && (
          <>
            <Strip figures={data.total} span={{ from, to }} />
            <Tabs
              label="Grouped by"
              value={by}
              onValueChange={(next) => look({ by: next })}
              tabs={groupings.map((value) => ({ value, label: tabLabels[value] }))}
            >
              <RecordTable record={data} query={query} span={{ from, to }} />
            </Tabs>
          </>
        )}
      </div>
    </Page>
  );
}

const tabLabels = { buyer: "By buyer", supplier: "By supplier", month: "By month" };

function About({ record }: { record: TrackRecord | undefined }) {
  const { locale } = useLocale();
  return (
    <>
      What was suggested, what was decided, and what happened.
      {record?.as_of && (
        <span className="text-subtle"> All days before {formatDay(record.as_of, locale)} are judged.</span>
      )}
    </>
  );
}

function Nothing() {
  const { workspace } = usePlace();
  return (
    <Card>
      <EmptyState
        icon={<Scale aria-hidden />}
        action={
          <Link to="/w/$workspace/to-order" params={{ workspace: workspace.id }} className={buttonClass()}>
            To order
          </Link>
        }
        docs={{ href: "/docs/track-record", label: "What is counted, and how" }}
      >
        Nothing was suggested in this time. Suggestions are kept from the first day on which they are listed,
        and judged when the days have passed.
      </EmptyState>
    </Card>
  );
}

/** The figures of all suggestions. */
function Strip({ figures, span }: { figures: TrackRecordFigures; span: Span }) {
  const { locale } = useLocale();
  const { median_days_to_decide: days, empty_days, prevented, ran_out, overbought, overbuy } = figures;
  const early = figures.judged + figures.not_known === 0;
  return (
    <Card
      flush
      {...(early && { footer: "Verdicts come when the days have passed: look again in a few days." })}
    >
      <dl className="-mr-px -mb-px grid grid-cols-2 md:grid-cols-3 xl:grid-cols-6">
        <Figure label="Suggested" note={days !== undefined && daysToDecide({ count: days }, locale)}>
          <CasesLink search={span}>
            <Num value={figures.suggested} />
          </CasesLink>
        </Figure>
        <Figure label="Ordered" note={orderedWords(figures, locale)}>
          <Num value={orderedSum(figures)} />
        </Figure>
        <Figure label="Not ordered" note={notOrderedWords(figures, locale)}>
          <Num value={notOrderedSum(figures)} />
        </Figure>
        <Figure label="Stock-outs prevented" note={judgedWords(figures, locale)}>
          <Counted count={prevented} outcome="prevented" span={span} />
        </Figure>
        <Figure label="Days without stock" note={causeWords(empty_days, locale)}>
          {ran_out > 0 ? (
            <CasesLink search={{ ...span, outcome: "empty" }}>
              <Num value={emptySum(empty_days)} />
            </CasesLink>
          ) : (
            <Num value={early ? undefined : 0} />
          )}
        </Figure>
        <Figure label="Bought too much" note={inOrders({ count: overbought }, locale)}>
          {overbuy.length > 0 ? (
            <CasesLink search={{ ...span, outcome: "overbuy" }}>
              <Totals
                className="justify-start!"
                totals={overbuy.map(({ currency, value }) => ({ currency, amount: value }))}
                leftOut={overbuy.reduce((sum, { left_out }) => sum + left_out, 0)}
              />
            </CasesLink>
          ) : (
            <Counted count={overbought} outcome="overbuy" span={span} />
          )}
        </Figure>
      </dl>
    </Card>
  );
}

interface CountedProps {
  count: number;
  outcome: "prevented" | "overbuy";
  span: Span;
}

function Counted({ count, outcome, span }: CountedProps) {
  if (count === 0) return <Num value={0} />;
  return (
    <CasesLink search={{ ...span, outcome }}>
      <Num value={count} />
    </CasesLink>
  );
}

interface FigureProps {
  label: string;
  note?: ReactNode;
  children: ReactNode;
}

function Figure({ label, note, children }: FigureProps) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5 border-line border-r border-b px-4 py-3">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="font-semibold text-ink text-lg tabular-nums">{children}</dd>
      {note && <dd className="text-muted text-xs">{note}</dd>}
    </div>
  );
}
