import { Link, useParams } from "@tanstack/react-router";
import { Pencil, Plus } from "lucide-react";
import type { SupplierPage as Supplier } from "@/api/types.gen";
import { AllFields } from "@/features/subject/all-fields";
import { BackToTable } from "@/features/subject/back";
import { Contact } from "@/features/subject/contact";
import { newOrderFrom } from "@/features/subject/links";
import { Mentions } from "@/features/subject/mentions";
import { Moments } from "@/features/subject/moments";
import { Notes } from "@/features/subject/notes";
import { useRecord } from "@/features/subject/record";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Deliveries, Prices } from "./deliveries";
import { Articles, PastOrders } from "./lists";
import { OpenOrders } from "./open-orders";
import { useActivity, useSupplier } from "./queries";
import { Strip } from "./strip";

/** Everything about one supplier. */
export function SupplierPage() {
  const { workspace, can } = usePlace();
  const { supplier: id } = useParams({ from: "/inside/w/$workspace/suppliers/$supplier" });
  const supplier = useSupplier(id);
  const { data, error, refetch } = supplier;
  const back = <BackToTable slug="suppliers" label="Suppliers" />;
  if (!data)
    return (
      <Page title="Supplier" above={back}>
        {error ? (
          <ErrorNote error={error} retry={refetch} />
        ) : (
          <SkeletonText lines={8} label="Loading the supplier" />
        )}
      </Page>
    );
  return (
    <Page
      title={data.name}
      above={back}
      description={<Facts supplier={data} />}
      actions={
        <>
          <Link
            to="/w/$workspace/tables/$slug"
            params={{ workspace: workspace.id, slug: "suppliers" }}
            search={{ record: id }}
            className={buttonClass()}
          >
            <Pencil aria-hidden />
            Edit
          </Link>
          {can("draft_lines") && (
            <Link {...newOrderFrom(workspace.id, id)} className={buttonClass("primary")}>
              <Plus aria-hidden />
              New order
            </Link>
          )}
        </>
      }
    >
      <LiveNote of={supplier} />
      <Sections supplier={data} />
    </Page>
  );
}

function Sections({ supplier }: { supplier: Supplier }) {
  const activity = useActivity(supplier.id);
  const record = useRecord("suppliers", supplier.id);
  return (
    <div className="flex flex-col gap-4">
      <Strip supplier={supplier} />
      <OpenOrders supplier={supplier} />
      <Articles supplier={supplier.id} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Prices activity={activity} />
        <Deliveries activity={activity} />
      </div>
      <PastOrders supplier={supplier.id} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Notes activity={activity} noun="supplier" />
        <Mentions activity={activity} noun="supplier" />
        <Moments activity={activity} />
        <AllFields record={record} />
      </div>
    </div>
  );
}

/** Whether it is active, how to reach it, and the note. */
function Facts({ supplier }: { supplier: Supplier }) {
  const { active, contact_name, email, phone, country, note } = supplier;
  return (
    <span className="mt-1 flex flex-col gap-1 text-sm">
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        {active !== undefined && (
          <Badge tone={active ? "good" : "warn"}>{active ? "Active" : "Not active"}</Badge>
        )}
        {contact_name && <span className="text-ink">{contact_name}</span>}
        <Contact email={email} phone={phone} />
        {country && <span>{country}</span>}
      </span>
      {note && <span className="whitespace-pre-line break-words">{note}</span>}
    </span>
  );
}
