import { CircleCheck } from "lucide-react";
import { listConflictsInfiniteQueryKey } from "@/api/@tanstack/react-query.gen";
import { listConflicts } from "@/api/sdk.gen";
import type { Conflict } from "@/api/types.gen";
import { OrderLink } from "@/features/purchasing/parts";
import { focusedRow, focusRow, useListKeys } from "@/lib/list-keys";
import { usePagedRows } from "@/lib/list-rows";
import { usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ListStates } from "@/ui/list-states";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { ConflictRow } from "./conflict-row";
import { canTake, type Side, useDecide } from "./use-decide";

const refreshEvery = 10_000;
const pageSize = 50;

/** The conflicts that wait for a person, of one connection or of all. */
export function ConflictList({ connection }: { connection?: string }) {
  const { workspace, can } = usePlace();
  const path = { workspace: workspace.id };
  const wanted = { limit: pageSize, ...(connection && { connection }) };
  const list = usePagedRows({
    queryKey: listConflictsInfiniteQueryKey({ path, query: wanted }),
    read: async (cursor, signal) => {
      const query = { ...wanted, ...(cursor && { cursor }) };
      return (await listConflicts({ path, query, signal, throwOnError: true })).data;
    },
    idOf: ({ id }) => id,
    every: refreshEvery,
  });
  const { isGone, decide, deciding } = useDecide();
  const rows = (list.rows ?? []).filter((row) => !isGone(row));
  const ids = rows.map(({ id }) => id);
  const keys = useListKeys({ ids, noun: "conflict", onEnd: list.more?.load });
  const may = can("change_lines");
  const take = (conflicts: readonly Conflict[], side: Side) => {
    const last = ids.indexOf(conflicts.at(-1)?.id ?? "");
    const first = ids.indexOf(conflicts[0]?.id ?? "");
    const next = ids[last + 1] ?? ids[first - 1];
    const inside = focusedRow() !== undefined;
    decide(conflicts, side);
    // The rows go. Whoever works through the list by keys stays in it.
    if (next && inside) focusRow(next);
  };
  const takeFocused = (side: Side) => {
    const row = rows.find(({ id }) => id === focusedRow());
    if (row && canTake(row, side)) take([row], side);
  };
  useShortcuts(
    may
      ? [
          { keys: "o", label: "Keep ours", group: "Conflicts", run: () => takeFocused("ours") },
          { keys: "t", label: "Take theirs", group: "Conflicts", run: () => takeFocused("theirs") },
        ]
      : [],
  );
  const groups = byOrder(rows);
  return (
    <ListStates list={list} loading={<SkeletonText lines={8} label="Loading the conflicts" />}>
      {() => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the rows inside
        <div className="flex flex-col gap-4" onKeyDown={keys.onKeyDown}>
          {groups.length === 0 && <Nothing deciding={deciding} />}
          {groups.map((conflicts) => (
            <Group
              key={conflicts[0]?.id}
              conflicts={conflicts}
              busy={deciding}
              decide={may ? take : undefined}
            />
          ))}
          {list.more && (
            <Button size="sm" className="self-start" loading={list.more.loading} onClick={list.more.load}>
              Show more
            </Button>
          )}
        </div>
      )}
    </ListStates>
  );
}

/** Nothing is left to decide, once the last decision is stored. */
function Nothing({ deciding }: { deciding: boolean }) {
  if (deciding) return <p className="py-6 text-muted">Storing the decision…</p>;
  return (
    <p data-empty className="flex items-center gap-2 py-6 text-muted">
      <CircleCheck className="size-4 text-good-ink" aria-hidden />
      No conflict waits for a decision.
    </p>
  );
}

interface GroupProps {
  /** All of one order and connection. */
  conflicts: readonly Conflict[];
  decide: ((conflicts: readonly Conflict[], take: Side) => void) | undefined;
  busy: boolean;
}

function Group({ conflicts, decide, busy }: GroupProps) {
  const [first] = conflicts;
  if (!first) return null;
  const sides: [Side, string][] = [
    ["ours", "Keep all ours"],
    ["theirs", "Take all theirs"],
  ];
  return (
    <Card
      flush
      title={<OrderLink order={first.order_no} />}
      description={
        <>
          Nothing of this order is written to {first.connection} until this is decided. Open since{" "}
          <Time inline value={first.opened_at} />.
        </>
      }
      actions={
        decide &&
        conflicts.length > 1 &&
        sides
          .filter(([take]) => conflicts.every((one) => canTake(one, take)))
          .map(([take, label]) => (
            <Button key={take} size="sm" disabled={busy} onClick={() => decide(conflicts, take)}>
              {label}
            </Button>
          ))
      }
    >
      <ul aria-label={`Conflicts of ${first.order_no}`} className="divide-y divide-line">
        {conflicts.map((one) => (
          <ConflictRow
            key={one.id}
            conflict={one}
            busy={busy}
            decide={decide && ((take) => decide([one], take))}
          />
        ))}
      </ul>
    </Card>
  );
}

/** Neighbours of the same order and connection in one group. */
function byOrder(rows: readonly Conflict[]): Conflict[][] {
  const groups: Conflict[][] = [];
  for (const row of rows) {
    const last = groups.find(
      ([one]) => one?.order_no === row.order_no && one.connection_id === row.connection_id,
    );
    if (last) last.push(row);
    else groups.push([row]);
  }
  return groups;
}
