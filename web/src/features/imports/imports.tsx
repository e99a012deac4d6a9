import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import { listImportsOptions } from "@/api/@tanstack/react-query.gen";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { useSteadyRows } from "@/lib/steady-rows";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ErrorNote } from "@/ui/error-note";
import { LiveNote } from "@/ui/live-note";
import { Page } from "@/ui/page";
import { SkeletonRows } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { ImportBadge } from "./import-badge";
import { isGoing } from "./queries";

/** The latest imports of files, into one table or into any. */
export function ImportsPage() {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const { table } = useSearch({ from: "/inside/w/$workspace/imports" });
  const options = listImportsOptions({ path: { workspace: workspace.id }, query: table ? { table } : {} });
  const list = useQuery({
    ...options,
    refetchInterval: (query) => (query.state.data?.items.some(isGoing) ? 2_000 : 15_000),
  });
  const { data, error, refetch } = list;
  const { rows, ...live } = useSteadyRows({
    queryKey: options.queryKey,
    data,
    rowsOf: ({ items }) => items,
    idOf: ({ id }) => id,
    whole: data?.next_cursor === undefined,
  });
  return (
    <Page
      title="File imports"
      description={table ? <>The latest into {table}.</> : "The latest files that people have imported."}
      actions={
        <Link to="/w/$workspace/sources" params={{ workspace: workspace.id }} className={buttonClass()}>
          Data sources
        </Link>
      }
    >
      {error && !rows && <ErrorNote error={error} retry={refetch} />}
      <LiveNote of={list} {...live} />
      {rows?.length === 0 && (
        <Card>
          <EmptyState
            icon={<FileUp aria-hidden />}
            action={
              <Link
                to="/w/$workspace/sources"
                params={{ workspace: workspace.id }}
                className={buttonClass("primary")}
              >
                Choose a table
              </Link>
            }
            docs={{ href: "/docs#uploadImport", label: "How imports work" }}
          >
            Drop a CSV, Excel, NDJSON or JSON file on a table of Data sources to import it.
          </EmptyState>
        </Card>
      )}
      {rows?.length !== 0 && (rows || !error) && (
        <Card flush>
          <Table caption="File imports">
            <thead>
              <tr>
                <Th>File</Th>
                <Th>Status</Th>
                <Th className="max-md:hidden">Table</Th>
                <Th num>Records</Th>
                <Th num>Refused</Th>
                <Th className="max-md:hidden">Uploaded</Th>
              </tr>
            </thead>
            <tbody>
              {!rows && <SkeletonRows columns={6} />}
              {rows?.map((one) => (
                <Tr key={one.id}>
                  <Td className="max-w-60">
                    <Link
                      to="/w/$workspace/imports/$import"
                      params={{ workspace: workspace.id, import: one.id }}
                      className="block truncate rounded-sm font-medium hover:text-accent-ink hover:underline"
                    >
                      {one.file_name}
                    </Link>
                  </Td>
                  <Td>
                    <ImportBadge status={one.status} />
                  </Td>
                  <Td className="max-md:hidden">
                    <code className="text-xs">{one.slug}</code>
                  </Td>
                  <Td num>{formatNumber(one.total, locale)}</Td>
                  <Td num className={one.refused > 0 ? "text-bad-ink" : "text-subtle"}>
                    {formatNumber(one.refused, locale)}
                  </Td>
                  <Td className="max-md:hidden">
                    <Time value={one.created_at} />
                  </Td>
                </Tr>
              ))}
            </tbody>
          </Table>
        </Card>
      )}
    </Page>
  );
}
