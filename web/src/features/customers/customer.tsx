import { Link, useParams } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import type { CustomerPage as Customer } from "@/api/types.gen";
import { AllFields } from "@/features/subject/all-fields";
import { BackToTable } from "@/features/subject/back";
import { Contact } from "@/features/subject/contact";
import { Mentions } from "@/features/subject/mentions";
import { Moments } from "@/features/subject/moments";
import { Notes } from "@/features/subject/notes";
import { useRecord } from "@/features/subject/record";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Months, Orders, Usual } from "./buying";
import { useActivity, useCustomer } from "./queries";
import { Strip } from "./strip";

/** Everything about one customer. */
export function CustomerPage() {
  const { workspace } = usePlace();
  const { customer: id } = useParams({ from: "/inside/w/$workspace/customers/$customer" });
  const customer = useCustomer(id);
  const { data, error, refetch } = customer;
  const back = <BackToTable slug="customers" label="Customers" />;
  if (!data)
    return (
      <Page title="Customer" above={back}>
        {error ? (
          <ErrorNote error={error} retry={refetch} />
        ) : (
          <SkeletonText lines={8} label="Loading the customer" />
        )}
      </Page>
    );
  return (
    <Page
      title={data.called}
      above={back}
      description={<Facts customer={data} />}
      actions={
        <Link
          to="/w/$workspace/tables/$slug"
          params={{ workspace: workspace.id, slug: "customers" }}
          search={{ record: id }}
          className={buttonClass()}
        >
          <Pencil aria-hidden />
          Edit
        </Link>
      }
    >
      <LiveNote of={customer} />
      <Sections customer={data} />
    </Page>
  );
}

function Sections({ customer }: { customer: Customer }) {
  const activity = useActivity(customer.id);
  const record = useRecord("customers", customer.id);
  return (
    <div className="flex flex-col gap-4">
      <Strip customer={customer} />
      {customer.due && <p className="text-muted">{customer.due.reason}</p>}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Months customer={customer} />
        <Usual customer={customer} />
      </div>
      <Orders customer={customer.id} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Notes activity={activity} noun="customer" />
        <Mentions activity={activity} noun="customer" />
        <Moments activity={activity} />
        <AllFields record={record} />
      </div>
    </div>
  );
}

/** How to reach the customer, where they are, and the note. */
function Facts({ customer }: { customer: Customer }) {
  const { called, company, email, phone, city, country, note } = customer;
  return (
    <span className="mt-1 flex flex-col gap-1 text-sm">
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        {company && company !== called && <span className="text-ink">{company}</span>}
        <Contact email={email} phone={phone} />
        <span>{[city, country].filter(Boolean).join(", ")}</span>
      </span>
      {note && <span className="whitespace-pre-line break-words">{note}</span>}
    </span>
  );
}
