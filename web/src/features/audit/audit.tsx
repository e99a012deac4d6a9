import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { listAuditInfiniteOptions } from "@/api/@tanstack/react-query.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Page } from "@/ui/page";
import { EntryTable } from "./entry-table";
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
      description={`Who did what in ${company.name}, in all of its workspaces. Entries are never changed; a hash chain shows if somebody does so anyway.`}
    >
      <Entries />
    </Page>
  ) : (
    <Page title="Audit log">
      <p className="text-base text-muted">
        Only a Company-Admin sees who did what. Ask one if you need to know.
      </p>
    </Page>
  );
}

function Entries() {
  const { workspace } = usePlace();
  const search = readSearch({ ...useSearch({ from: "/inside/w/$workspace/audit" }) });
  const go = useNavigate();
  const { entries, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useEntries(search);
  const filtered = Object.keys(search).length > 0;
  const change = (next: AuditSearch) =>
    void go({
      to: "/w/$workspace/audit",
      params: { workspace: workspace.id },
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value)),
      replace: true,
    });
  const about = search.about ? entries?.find((entry) => entry.subject === search.about) : undefined;
  return (
    <>
      <FilterBar search={search} subject={about && subjectName(about)} onChange={change} />
      {error && !entries ? (
        <ErrorNote error={error} retry={refetch} />
      ) : (
        <Card
          flush
          footer={
            hasNextPage && (
              <Button size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show more
              </Button>
            )
          }
        >
          {entries?.length === 0 ? (
            <p className="px-4 py-10 text-center text-muted">
              {filtered ? "Nothing in the log matches." : "Nobody has done anything yet."}
            </p>
          ) : (
            <EntryTable entries={entries} />
          )}
        </Card>
      )}
    </>
  );
}

function useEntries(search: AuditSearch) {
  const { company, workspace } = usePlace();
  // "Last 7 days" is counted from when the page was opened, so that its pages fit each other.
  const [now] = useState(Date.now);
  const path = { tenant: company.id };
  const query = { ...toQuery(search, workspace.time_zone, now), limit: 50 };
  const list = useInfiniteQuery({
    ...listAuditInfiniteOptions({ path, query }),
    initialPageParam: { path },
    getNextPageParam: (last) => last.next_cursor,
  });
  return { ...list, entries: list.data?.pages.flatMap((page) => page.items) };
}
