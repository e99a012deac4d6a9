import { Link } from "@tanstack/react-router";
import { createContext, use, useState } from "react";
import type { AuditEntry } from "@/api/types.gen";
import { RunText } from "@/features/agent/run-link";
import { agentRun } from "@/lib/agents";
import type { ListRows } from "@/lib/list-rows";
import { useLocale } from "@/lib/locale";
import type { FileColumn } from "@/lib/save-rows";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { CopyButton } from "@/ui/copy-button";
import { type Column, DataList } from "@/ui/data-list";
import { Time } from "@/ui/time";
import { each, type Folded, fold, foldedReads } from "./fold";
import { targetOf } from "./targets";
import { actorName, subjectName, tell, tellOrder } from "./words";

interface EntryListProps {
  list: ListRows<AuditEntry>;
  filtered: boolean;
}

export function EntryList({ list: { rows, more, ...list }, filtered }: EntryListProps) {
  const [every, setEvery] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setOpened(
      (before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]),
    );
  const folded = rows && fold(rows);
  const shown: ListRows<Folded> = {
    ...list,
    rows: every
      ? rows && each(rows)
      : folded?.flatMap((one) => (opened.has(one.id) ? [one, ...each(one.all)] : [one])),
    unfolded: rows && each(rows),
    more: more && { ...more, upTo: async (most) => each(await more.upTo(most)) },
  };
  return (
    <Opened value={{ opened, toggle }}>
      {rows && folded && folded.length < rows.length && (
        <div className="mb-2">
          <Checkbox label="Show every entry" checked={every} onCheckedChange={setEvery} />
        </div>
      )}
      <DataList
        caption="Who did what"
        noun="entry"
        list={shown}
        // A row that stands for several has the id of the newest, which follows when it is opened.
        idOf={(entry) => (entry.all.length > 1 ? `${entry.id} and more` : entry.id)}
        nameOf={subjectName}
        columns={columns}
        file={fileColumns}
        rowClass={() => "align-top"}
        empty={
          <p className="px-4 py-10 text-center text-muted">
            {filtered ? "Nothing in the log matches." : "Nobody has done anything yet."}
          </p>
        }
      />
    </Opened>
  );
}

/** Which rows that stand for several entries show them. */
const Opened = createContext<{ opened: ReadonlySet<string>; toggle: (id: string) => void }>({
  opened: new Set(),
  toggle: () => undefined,
});

// On a phone the first column shows everything.
const columns: Column<Folded>[] = [
  {
    id: "when",
    head: "When",
    className: "py-2 text-muted max-md:hidden",
    cell: (entry) => <When entry={entry} />,
  },
  {
    id: "who",
    head: "Who",
    className: "whitespace-nowrap py-2 font-medium max-md:hidden",
    cell: (entry) => <Who entry={entry} />,
  },
  {
    id: "what",
    head: (
      <>
        <span className="md:hidden">Who did what</span>
        <span className="max-md:hidden">What</span>
      </>
    ),
    className: "w-full py-2",
    cell: (entry) => <What entry={entry} />,
  },
  {
    id: "about",
    head: "About",
    className: "max-w-48 py-2 max-md:hidden",
    cell: (entry) => <About entry={entry} />,
  },
  {
    id: "request",
    head: "Request",
    className: "py-2 text-muted max-md:hidden",
    cell: (entry) => <RequestId id={entry.request_id} />,
  },
];

const fileColumns: FileColumn<AuditEntry>[] = [
  { name: "When", value: (entry) => entry.at },
  { name: "Who", value: actorName },
  { name: "What", value: (entry) => entry.action },
  { name: "About", value: subjectName },
  { name: "Id", value: (entry) => entry.subject },
  { name: "Request", value: (entry) => entry.request_id },
];

/** In a column of its own a link needs no underline. */
const inColumn = "md:no-underline md:hover:underline";

/** Whoever acted; the procurement agent's name leads to its run. */
function Who({ entry }: { entry: AuditEntry }) {
  return (
    <RunText
      text={actorName(entry)}
      run={agentRun(entry.by_id, entry.data.run)}
      workspace={entry.workspace_id ?? ""}
      className={inColumn}
    />
  );
}

/** When it was, or since when and until when. */
function When({ entry: { all, at } }: { entry: Folded }) {
  const first = all.at(-1)?.at ?? at;
  if (all.length < 2 || first === at) return <Time value={at} />;
  return (
    <>
      <Time value={first} /> to <Time value={at} />
    </>
  );
}

const linked =
  "rounded-sm text-accent-ink underline decoration-dotted underline-offset-2 hover:decoration-solid";

/** What was done, with a link to what it was done to. */
function Sentence({ entry }: { entry: Folded }) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const order = tellOrder(entry.all, locale);
  if (order && entry.workspace_id)
    return (
      <>
        {order[0]}{" "}
        <Link
          to="/w/$workspace/purchase-orders/$order"
          params={{ workspace: entry.workspace_id, order: order[1] }}
          search={entry.all.length > 1 ? {} : { line: entry.subject }}
          className={linked}
        >
          {order[1]}
        </Link>
        {order[2]}
      </>
    );
  const told = foldedReads(entry.all, locale) ?? tell(entry, locale);
  const target = targetOf(entry, workspace.id);
  const at = target?.words ? told.indexOf(target.words) : -1;
  if (target && at >= 0)
    return (
      <>
        {told.slice(0, at)}
        <Link {...target.link} className={linked}>
          {target.words}
        </Link>
        {told.slice(at + target.words.length)}
      </>
    );
  return (
    <RunText
      text={told}
      run={entry.action.startsWith("agent_run.") && !entry.data.run ? entry.subject : undefined}
      workspace={entry.workspace_id ?? ""}
      className={inColumn}
    />
  );
}

function What({ entry }: { entry: Folded }) {
  const where = useWorkspaceName(entry);
  return (
    <>
      <span className="font-medium md:hidden">
        <Who entry={entry} />{" "}
      </span>
      <Sentence entry={entry} />
      {entry.all.length > 1 && <OpenButton entry={entry} />}
      {where && <span className="block text-subtle text-xs">in {where}</span>}
      <span className="mt-1 flex flex-wrap items-center gap-x-3 text-muted text-xs md:hidden">
        <When entry={entry} />
        <About entry={entry} />
        <RequestId id={entry.request_id} />
      </span>
    </>
  );
}

/** Shows the entries that a row stands for below it. */
function OpenButton({ entry }: { entry: Folded }) {
  const { opened, toggle } = use(Opened);
  const open = opened.has(entry.id);
  return (
    <Button
      size="sm"
      variant="ghost"
      className="-my-1 ml-1"
      aria-expanded={open}
      onClick={() => toggle(entry.id)}
    >
      {open ? "Hide" : "Show"}
    </Button>
  );
}

/** A link to all entries about the same subject. */
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
