import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight, PartyPopper } from "lucide-react";
import { useState } from "react";
import type { SecretKey, Source } from "@/api/types.gen";
import { refreshEvery, sourcesQuery } from "@/features/sources/queries";
import { usePlace } from "@/lib/session";
import { failing, filled as rowsIn } from "@/messages/sources";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { KeyStep } from "./key-step";
import { RecordStep } from "./record-step";
import { SourceStep } from "./source-step";
import { Step } from "./step";

/** How often the page checks for the first record. */
const listenEvery = 2_000;

/** The chosen table, with its figures at that moment: earlier records do not count as the first. */
interface Chosen {
  slug: string;
  lastRecord: string | undefined;
  failed: number;
}

function remember({ slug, figures }: Source): Chosen {
  return { slug, lastRecord: figures.last_record_at, failed: figures.failed_24h };
}

export type Heard = "nothing" | "arrived" | "refused";

function listen({ figures }: Source, since: Chosen): Heard {
  if (figures.last_record_at !== undefined && figures.last_record_at !== since.lastRecord) return "arrived";
  return figures.failed_24h > since.failed ? "refused" : "nothing";
}

/** From an empty workspace to the first record, in three steps on one page. */
export function FirstStepsPage() {
  const { workspace, company, person, can } = usePlace();
  const [chosen, setChosen] = useState<Chosen>();
  const [made, setMade] = useState<SecretKey>();
  const query = useQuery({
    ...sourcesQuery(workspace.id),
    refetchInterval: chosen ? listenEvery : refreshEvery,
  });
  const { data, error, refetch } = query;
  const source = data?.items.find((one) => one.slug === chosen?.slug);
  // A key for another table would be refused here.
  const key = made?.key.scope === source?.slug ? made : undefined;
  const heard = source && chosen ? listen(source, chosen) : "nothing";
  const filled = data?.items.filter((one) => one.figures.rows > 0 || one.figures.open_failures > 0) ?? [];

  return (
    <Page
      title={`Welcome, ${person.name.split(/[\s@]/)[0]}`}
      description={`${company.name}, ${workspace.name}: three steps to the first record.`}
    >
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={query} />
      {!data && !error && <SkeletonText lines={8} label="Loading the tables" />}
      {filled.length > 0 && <Overview filled={filled} />}
      {data && (
        <ol className="flex max-w-3xl flex-col gap-4">
          <Step number={1} title="Pick a table" done={source !== undefined} note={source?.title}>
            <SourceStep
              sources={data.items}
              chosen={chosen?.slug}
              choose={(one) => setChosen(remember(one))}
            />
          </Step>
          <Step
            number={2}
            title="Get a key"
            done={key !== undefined}
            waits={!source}
            note={key ? `${key.key.prefix}…` : undefined}
          >
            {source && <KeyStep source={source} made={key} done={setMade} allowed={can("manage_keys")} />}
          </Step>
          <Step number={3} title="Send the first record" done={heard === "arrived"} waits={!source}>
            {source && <RecordStep source={source} secret={key?.secret} heard={heard} />}
          </Step>
        </ol>
      )}
    </Page>
  );
}

/** A summary of the existing data, for people who come back to this page. */
function Overview({ filled }: { filled: Source[] }) {
  const { workspace } = usePlace();
  const rows = filled.reduce((sum, one) => sum + one.figures.rows, 0);
  const failures = filled.reduce((sum, one) => sum + one.figures.open_failures, 0);
  const last = filled
    .map((one) => one.figures.last_record_at)
    .filter((at) => at !== undefined)
    .sort()
    .at(-1);
  return (
    <Card className="mb-5 max-w-3xl">
      <div className="flex flex-wrap items-center gap-3">
        <PartyPopper className="size-5 text-good-ink" aria-hidden />
        <p className="min-w-0 flex-1 basis-64">
          {rowsIn({ rows, count: filled.length }, workspace.locale)}
          {failures > 0 && failing({ count: failures }, workspace.locale)}.
          {last && (
            <span className="block text-muted">
              The last record arrived <Time inline value={last} />.
            </span>
          )}
        </p>
        <Link
          to="/w/$workspace/sources"
          params={{ workspace: workspace.id }}
          className={buttonClass("primary")}
        >
          Sources
          <ArrowRight aria-hidden />
        </Link>
      </div>
    </Card>
  );
}
