import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import type { InboxItem } from "@/api/types.gen";
import { focusedRow, focusRow, useListKeys } from "@/lib/list-keys";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { ListStates } from "@/ui/list-states";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Tabs } from "@/ui/tabs";
import { InboxRow } from "./inbox-row";
import { type InboxSearch, type Kind, kinds, readInboxSearch } from "./search";
import { canBeDone, keyOf, useInbox, useMark } from "./use-inbox";

const names: Record<Kind, string> = {
  approval: "Approvals",
  sent_back: "Sent back",
  mention: "Mentions",
  alert: "Alerts",
};

/** What asks for the person's attention. */
export function InboxPage() {
  const { workspace } = usePlace();
  const search = useSearch({ from: "/inside/w/$workspace/inbox" });
  const go = useNavigate();
  const look = (next: InboxSearch) =>
    void go({
      to: "/w/$workspace/inbox",
      params: { workspace: workspace.id },
      search: readInboxSearch({ ...next }),
      replace: true,
      resetScroll: false,
    });
  const list = useInbox(search, (pages) => look({ ...search, pages }));
  const { marking, mark, markAll } = useMark();
  const rows = list.previous ? undefined : list.rows;
  const newest = rows && newestOf(rows);
  const unseen = rows?.some(({ seen }) => !seen);
  const clear = (done: boolean) => newest && markAll(newest, search.kind, done);
  const finish = (item: InboxItem) => {
    const ids = (rows ?? []).map(keyOf);
    const at = ids.indexOf(keyOf(item));
    mark(item, true);
    // The row goes. Whoever works through the list by keys stays in it.
    const next = canBeDone(item) ? (ids[at + 1] ?? ids[at - 1]) : undefined;
    if (next && focusedRow() === keyOf(item)) focusRow(next);
  };
  useShortcuts([
    {
      keys: "e",
      label: "Done with the item; with Shift, with all",
      group: "Inbox",
      run: (event) => {
        if (event.shiftKey) return clear(true);
        const item = rows?.find((one) => keyOf(one) === focusedRow());
        if (item) finish(item);
      },
    },
  ]);
  return (
    <Page
      title="Inbox"
      description="What waits for your approval, was sent back to you, mentions you, or went wrong."
      actions={
        <>
          <Button disabled={!unseen} loading={marking} onClick={() => clear(false)}>
            Mark all as seen
          </Button>
          <Button disabled={!rows?.some(canBeDone)} onClick={() => clear(true)}>
            Done with all
          </Button>
        </>
      }
    >
      <Tabs
        label="Which items"
        value={search.kind ?? "all"}
        onValueChange={(kind) => look({ kind: kind === "all" ? undefined : kind })}
        tabs={[
          { value: "all" as const, label: "All" },
          ...kinds.map((value) => ({ value, label: names[value] })),
        ]}
      >
        <Card flush>
          <ListStates
            list={list}
            loading={
              <div className="p-4">
                <SkeletonText lines={8} label="Loading the inbox" />
              </div>
            }
          >
            {(items) =>
              items.length === 0 ? (
                <Nothing kind={search.kind} />
              ) : (
                <Items
                  items={items}
                  more={list.more}
                  onSeen={(item) => !item.seen && mark(item)}
                  onDone={finish}
                />
              )
            }
          </ListStates>
        </Card>
      </Tabs>
    </Page>
  );
}

/** What came later than everything shown stays new. */
function newestOf(items: readonly InboxItem[]): InboxItem | undefined {
  return items.reduce<InboxItem | undefined>(
    (last, item) => (last && last.at >= item.at ? last : item),
    undefined,
  );
}

interface ItemsProps {
  items: readonly InboxItem[];
  more: { load: () => void; loading: boolean } | undefined;
  onSeen: (item: InboxItem) => void;
  onDone: (item: InboxItem) => void;
}

function Items({ items, more, onSeen, onDone }: ItemsProps) {
  const keys = useListKeys({ ids: items.map(keyOf), noun: "item", onEnd: more?.load });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the rows inside
    <div onKeyDown={keys.onKeyDown}>
      <ul aria-label="Inbox" className="divide-y divide-line">
        {items.map((item) => (
          <InboxRow key={keyOf(item)} item={item} onSeen={() => onSeen(item)} onDone={() => onDone(item)} />
        ))}
      </ul>
      {more && (
        <div className="border-line border-t px-4 py-2">
          <Button size="sm" loading={more.loading} onClick={more.load}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}

function Nothing({ kind }: { kind: Kind | undefined }) {
  const { workspace } = usePlace();
  return (
    <EmptyState
      icon={<Inbox aria-hidden />}
      action={
        <Link to="/w/$workspace" params={{ workspace: workspace.id }} className={buttonClass()}>
          Go to Today
        </Link>
      }
      docs={{ href: "/docs/inbox", label: "What comes into the inbox" }}
    >
      {kind
        ? `No ${names[kind].toLowerCase()} here.`
        : "Nothing asks for your attention. Orders to approve, mentions and alerts come here."}
    </EmptyState>
  );
}
