import { Link, useLocation, useParams } from "@tanstack/react-router";
import { ArrowUpRight, Table2, TriangleAlert } from "lucide-react";
import { useEffect } from "react";
import type { ArticlePage as Article } from "@/api/types.gen";
import { AllFields } from "@/features/subject/all-fields";
import { BackToTable } from "@/features/subject/back";
import { SupplierLink } from "@/features/subject/links";
import { Mentions } from "@/features/subject/mentions";
import { Moments } from "@/features/subject/moments";
import { useRecord } from "@/features/subject/record";
import { usePlace } from "@/lib/session";
import { Badge, type Tone } from "@/ui/badge";
import { buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Charts } from "./charts";
import { DoubleNote } from "./double-note";
import { Family } from "./family";
import { Settings } from "./fields";
import { Orders } from "./orders";
import { Prices } from "./prices";
import { Punctuality } from "./punctuality";
import { useActivity, useArticle } from "./queries";
import { Sales } from "./sales";
import { Strip } from "./strip";
import { webAddress } from "./words";

/** Everything about one article. */
export function ArticlePage() {
  const { workspace } = usePlace();
  const { record } = useParams({ from: "/inside/w/$workspace/products/$record" });
  const article = useArticle(record);
  const { data, error, refetch } = article;
  const back = <BackToTable slug="products" label="Products" />;
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
          search={{ filters: { id: { eq: data.id } } }}
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
  const record = useRecord("products", article.id);
  // The router looks for the section before the page has its data.
  const { hash } = useLocation();
  useEffect(() => {
    if (hash) document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  return (
    <div className="flex flex-col gap-4">
      <DoubleNote article={article} />
      {article.not_computed && (
        <p role="status" className="flex items-start gap-2 text-warn-ink">
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span className="wrap-anywhere">
            Not computed, so neither forecast nor suggested: {article.not_computed.reason}.
          </span>
        </p>
      )}
      <Strip article={article} />
      <Charts article={article} />
      <Orders activity={activity} today={article.today} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Prices activity={activity} />
        <Punctuality article={article} />
        <Sales record={article.id} activity={activity} />
        <Family record={article.id} family={article.family ?? ""} />
        <Settings article={article} record={record} />
        <Mentions activity={activity} noun="article" />
        <Moments activity={activity} />
        <AllFields record={record} />
      </div>
    </div>
  );
}

const statusTones: Record<string, Tone> = { active: "good", draft: "neutral", archived: "warn" };

/** The picture, the SKU, the supplier and the status. */
function Facts({ article }: { article: Article }) {
  const { sku, external_id, supplier, status, family } = article;
  return (
    <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      <Picture article={article} />
      {status && <Badge tone={statusTones[status] ?? "neutral"}>{status}</Badge>}
      {(sku ?? external_id) && (
        <code className="break-all font-mono text-ink text-xs">{sku ?? external_id}</code>
      )}
      {supplier ? <SupplierLink {...supplier} /> : <span>No supplier</span>}
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
