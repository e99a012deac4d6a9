import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download, FileUp, TriangleAlert } from "lucide-react";
import { listImportReasonsOptions } from "@/api/@tanstack/react-query.gen";
import type { Import } from "@/api/types.gen";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { allStored, recordsRefused, recordsWarned, storedOf, unreadable } from "@/messages/imports";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { Counts } from "./counts";
import { failuresAddress, rejectsAddress } from "./queries";

/** The result of an import. */
export function Result({ one }: { one: Import }) {
  const { workspace, can } = usePlace();
  const stored = one.created + one.updated + one.unchanged;
  return (
    <div className="flex flex-col gap-5">
      <Card
        title={<Headline one={one} stored={stored} />}
        description={one.finished_at && <Time value={one.finished_at} />}
        actions={
          can("import_records") && (
            <Link
              to="/w/$workspace/sources/$slug/import"
              params={{ workspace: workspace.id, slug: one.slug }}
              className={buttonClass()}
            >
              <FileUp aria-hidden />
              Import another file
            </Link>
          )
        }
      >
        {one.message && (
          <p role="alert" className="mb-3 rounded-md bg-bad-soft px-3 py-2 text-bad-ink">
            The import stopped: {one.message}. Records stored before that stay; import the file again to store
            the rest.
          </p>
        )}
        {one.started_at && <Counts one={one} />}
      </Card>
      {one.refused > 0 && <Refused one={one} />}
      {one.warned.length > 0 && <Warned one={one} />}
    </div>
  );
}

function Headline({ one, stored }: { one: Import; stored: number }) {
  const { locale } = useLocale();
  const of = storedOf({ done: stored, count: one.total }, locale);
  if (one.status === "cancelled" && !one.started_at) return "Discarded before anything was stored";
  if (one.status === "cancelled") return `Cancelled: ${of}`;
  if (one.status === "failed") return `Stopped: ${of}`;
  return one.refused === 0 ? allStored({ count: one.total }, locale) : of;
}

/** What stored records were warned of, by warning and column. */
function Warned({ one }: { one: Import }) {
  const { locale } = useLocale();
  const count = one.warned.reduce((sum, { records }) => sum + records, 0);
  return (
    <Card flush title={recordsWarned({ count }, locale)}>
      <Table caption="Warnings of stored records">
        <thead>
          <tr>
            <Th num>Records</Th>
            <Th>Warning</Th>
            <Th>Column</Th>
            <Th num>First</Th>
          </tr>
        </thead>
        <tbody>
          {one.warned.map((warned) => (
            <Tr key={`${warned.code} ${warned.field}`}>
              <Td num>{formatNumber(warned.records, locale)}</Td>
              <Td className="max-w-2xl py-1.5 wrap-anywhere">{warned.meaning}</Td>
              <Td className="font-mono text-xs">{warned.field}</Td>
              <Td num className="text-subtle">
                {formatNumber(warned.first_record, locale)}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

function Refused({ one }: { one: Import }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const { data, error, refetch } = useQuery({
    ...listImportReasonsOptions({ path: { workspace: workspace.id, import: one.id } }),
    enabled: one.rejects_until !== undefined,
  });
  const judged = one.refused - one.unreadable;
  return (
    <Card
      flush
      title={recordsRefused({ count: one.refused }, locale)}
      description={
        one.rejects_until
          ? "Download them, correct them and import the file again. Its columns with the errors are ignored."
          : "The refused records were kept for 30 days."
      }
      actions={
        <>
          {judged > 0 && (
            <a href={failuresAddress(workspace, one)} className={buttonClass()}>
              <TriangleAlert aria-hidden />
              Failed imports
            </a>
          )}
          {one.rejects_until && (
            <a href={rejectsAddress(workspace.id, one.id)} download className={buttonClass("primary")}>
              <Download aria-hidden />
              Download
            </a>
          )}
        </>
      }
      footer={one.unreadable > 0 && unreadable({ count: one.unreadable }, locale)}
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {one.rejects_until && !data && !error && (
        <div className="px-4 py-3">
          <SkeletonText lines={2} label="Loading the reasons" />
        </div>
      )}
      {data && data.items.length > 0 && (
        <Table caption="Why records were refused">
          <thead>
            <tr>
              <Th num>Records</Th>
              <Th>Reason</Th>
              <Th num>First</Th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((reason) => (
              <Tr key={reason.reason}>
                <Td num>{formatNumber(reason.records, locale)}</Td>
                <Td className="max-w-2xl py-1.5 wrap-anywhere">{reason.example}</Td>
                <Td num className="text-subtle">
                  {formatNumber(reason.first_record, locale)}
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}
