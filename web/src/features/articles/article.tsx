import { Link, useLocation, useParams } from "@tanstack/react-router";
import { ArrowUpRight, ChevronLeft, Table2 } from "lucide-react";
import { useEffect } from "react";
import type { ArticlePage as Article } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Badge, type Tone } from "@/ui/badge";
import { buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Activity } from "./activity";
import { Charts } from "./charts";
import { Failures } from "./failures";
import { Family } from "./family";
import { AllFields, Settings } from "./fields";
import { Orders } from "./orders";
import { Prices } from "./prices";
import { Punctuality } from "./punctuality";
import { useActivity, useArticle, useRecord } from "./queries";
import { Sales } from "./sales";
import { Strip } from "./strip";
import { webAddress } from "./words";

/** Everything about one article. */
export function ArticlePage() {
  const { workspace } = usePlace();
  const { record } = useParams({ from: "/inside/w/$workspace/products/$record" });
  const article = useArticle(record);
  const { data, error, refetch } = article;
  const back = (
    <Link
      to="/w/$workspace/tables/$slug"
      params={{ workspace: workspace.id, slug: "products" }}
      className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
    >
      <ChevronLeft className="size-4" aria-hidden />
      Products
    </Link>
  );
  if (!data)
    return (
      <Page title="Article" above={back}>
        {error ? (
          <ErrorNote error={error} retry={refetch} />
        ) : (
          <SkeletonText lines={8} label="Loading the article" />
        )}
      </Page>
    );
  return (
    <Page
      title={[data.name, data.variant_name].filter(Boolean).join(", ")}
      above={back}
      description={<Facts article={data} />}
      actions={
        <Link
          to="/w/$workspace/tables/$slug"
          params={{ workspace: workspace.id, slug: "products" }}
          search={{ filters: { id: { eq: record } } }}
          className={buttonClass()}
        >
          <Table2 aria-hidden />
          Edit in Products
        </Link>
      }
    >
      <LiveNote of={article} />
      <Sections article={data} />
    </Page>
  );
}

function Sections({ article }: { article: Article }) {
  const activity = useActivity(article.id);
  const record = useRecord(article.id);
  // The router looks for the section before the page has its data.
  const { hash } = useLocation();
  useEffect(() => {
    if (hash) document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  return (
    <div className="flex flex-col gap-4">
      <Strip article={article} />
      <Charts article={article} />
      <Orders activity={activity} today={article.today} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Prices activity={activity} />
        <Punctuality article={article} />
        <Sales record={article.id} activity={activity} />
        <Family record={article.id} family={article.family ?? ""} />
        <Settings article={article} record={record} />
        <Failures activity={activity} />
        <Activity activity={activity} />
        <AllFields record={record} />
      </div>
    </div>
  );
}

const statusTones: Record<string, Tone> = { active: "good", draft: "neutral", archived: "warn" };

/** The picture, the SKU, the supplier and the status. */
function Facts({ article }: { article: Article }) {
  const { workspace } = usePlace();
  const { sku, external_id, supplier, status, family } = article;
  return (
    <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      <Picture article={article} />
      {status && <Badge tone={statusTones[status] ?? "neutral"}>{status}</Badge>}
      {(sku ?? external_id) && (
        <code className="break-all font-mono text-ink text-xs">{sku ?? external_id}</code>
      )}
      {supplier ? (
        <Link
          to="/w/$workspace/tables/$slug"
          params={{ workspace: workspace.id, slug: "suppliers" }}
          search={{ record: supplier.id }}
          className="rounded-sm text-accent-ink hover:underline"
        >
          {supplier.name}
        </Link>
      ) : (
        <span>No supplier</span>
      )}
      {family && <span>{family}</span>}
    </span>
  );
}

/**
 * The article's initials instead of its picture, which lies on another site: the page loads nothing
 * from there, and links to it instead.
 */
function Picture({ article: { name, image_url } }: { article: Article }) {
  const address = webAddress(image_url);
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join("");
  const tile = (
    <span
      aria-hidden
      className="grid size-9 place-items-center rounded-md border border-line bg-sunken font-semibold text-muted text-sm"
    >
      {initials}
    </span>
  );
  if (!address) return tile;
  return (
    <a
      href={address}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1.5 rounded-md text-accent-ink hover:underline"
    >
      {tile}
      Picture
      <ArrowUpRight className="size-3.5" aria-hidden />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  );
}
