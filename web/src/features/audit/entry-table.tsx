import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { CopyButton } from "@/ui/copy-button";
import { SkeletonRows } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { doer, subjectName, tell } from "./words";

// On a phone everything stands in the column of what was done. Applies to skeletons too.
const columns = "max-md:[&>tr>:not(:nth-child(3))]:hidden";

export function EntryTable({ entries }: { entries: AuditEntry[] | undefined }) {
  return (
    <Table caption="Who did what">
      <thead className={columns}>
        <tr>
          <Th>When</Th>
          <Th>Who</Th>
          <Th className="w-full">
            <span className="md:hidden">Who did what</span>
            <span className="max-md:hidden">What</span>
          </Th>
          <Th>About</Th>
          <Th>Request</Th>
        </tr>
      </thead>
      <tbody className={columns}>
        {entries?.map((entry) => <EntryRow key={entry.id} entry={entry} />) ?? (
          <SkeletonRows rows={8} columns={5} />
        )}
      </tbody>
    </Table>
  );
}

function EntryRow({ entry }: { entry: AuditEntry }) {
  const where = useWorkspaceName(entry);
  return (
    <Tr className="align-top">
      <Td className="py-2 text-muted">
        <Time value={entry.at} />
      </Td>
      <Td className="whitespace-nowrap py-2 font-medium">{doer(entry)}</Td>
      <Td className="py-2">
        <span className="font-medium md:hidden">{doer(entry)} </span>
        {tell(entry)}
        {where && <span className="block text-subtle text-xs">in {where}</span>}
        <span className="mt-1 flex flex-wrap items-center gap-x-3 text-muted text-xs md:hidden">
          <Time value={entry.at} />
          <About entry={entry} />
          <RequestId id={entry.request_id} />
        </span>
      </Td>
      <Td className="max-w-48 py-2">
        <About entry={entry} />
      </Td>
      <Td className="py-2 text-muted">
        <RequestId id={entry.request_id} />
      </Td>
    </Tr>
  );
}

/** Everything that was done to the same thing is a click away. */
function About({ entry }: { entry: AuditEntry }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/audit"
      params={{ workspace: workspace.id }}
      search={{ about: entry.subject }}
      className="block truncate rounded-sm text-accent-ink hover:underline pointer-coarse:py-1.5"
    >
      <span className="sr-only">Everything about </span>
      {subjectName(entry)}
    </Link>
  );
}

function RequestId({ id }: { id: string }) {
  if (!id) return <span className="max-md:hidden">–</span>;
  return (
    <span className="-my-1 flex items-center gap-1 whitespace-nowrap">
      <code className="font-mono text-xs">…{id.slice(-8)}</code>
      <CopyButton value={id} label="Copy request id" />
    </span>
  );
}

/** The workspace that an entry is about, where there are several. */
function useWorkspaceName(entry: AuditEntry): string | undefined {
  const { company } = usePlace();
  if (company.workspaces.length < 2 || !entry.workspace_id) return undefined;
  return company.workspaces.find((one) => one.id === entry.workspace_id)?.name;
}
