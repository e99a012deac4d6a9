import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { listAuditInfiniteQueryKey } from "@/api/@tanstack/react-query.gen";
import { listAudit } from "@/api/sdk.gen";
import { ViewsButton } from "@/features/views/views-button";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { Page } from "@/ui/page";
import { EntryList } from "./entry-list";
import { type AuditSearch, readSearch } from "./filter";
import { FilterBar } from "./filter-bar";
import { toQuery } from "./filter-query";
import { subjectName } from "./words";

/** Who did what in the company. */
export function AuditPage() {
  const { company, can } = usePlace();
  return can("read_audit") ? (
    <Page
      title="Audit log"
      actions={<Views />}
      description={`Who did what in ${company.name}, in all of its workspaces. Entries are never changed; a hash chain reveals tampering.`}
    >
      <Entries />
    </Page>
  ) : (
    <Page title="Audit log">
      <p className="text-base text-muted">
        Only Company-Admins can read the audit log. Ask one if you need to know what happened.
      </p>
    </Page>
  );
}

function Views() {
  const { view } = readSearch({ ...useSearch({ from: "/inside/w/$workspace/audit" }) });
  return <ViewsButton of="audit" view={view} />;
}

function Entries() {
  const { workspace } = usePlace();
  const search = readSearch({ ...useSearch({ from: "/inside/w/$workspace/audit" }) });
  const { pages: _, view, ...filter } = search;
  const go = useNavigate();
  const change = (next: AuditSearch) => {
    const said = Object.entries(next).filter(([, value]) => value);
    void go({
      to: "/w/$workspace/audit",
      params: { workspace: workspace.id },
      // Clearing the filter also leaves the saved view.
      search: { ...Object.fromEntries(said), ...(said.length > 0 && view && { view }) },
      replace: true,
      resetScroll: false,
    });
  };
  const list = useEntries(search, (pages) => change({ ...filter, pages }));
  const about = search.about ? list.rows?.find((entry) => entry.subject === search.about) : undefined;
  return (
    <>
      <FilterBar search={filter} subject={about && subjectName(about)} onChange={change} />
      <EntryList list={list} filtered={Object.keys(filter).length > 0} />
    </>
  );
}

function useEntries({ pages, view: _, ...filter }: AuditSearch, want: (pages: number) => void) {
  const { company, workspace } = usePlace();
  // "Last 7 days" counts back from when the page was opened, so that all pages have the same period.
  const [now] = useState(Date.now);
  const path = { tenant: company.id };
  const wanted = { ...toQuery(filter, workspace.time_zone, now), limit: 50 };
  return usePagedRows({
    queryKey: listAuditInfiniteQueryKey({ path, query: wanted }),
    read: async (cursor, signal) => {
      const query = { ...wanted, ...(cursor && { cursor }) };
      return (await listAudit({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ id }) => id,
    pages,
    want,
  });
}
