import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Check, CheckCheck, X } from "lucide-react";
import { useState } from "react";
import { listExchangeMatchesQueryKey } from "@/api/@tanstack/react-query.gen";
import {
  acceptExchangeMatches,
  chooseExchangeMatch,
  forgetExchangeMatch,
  listExchangeMatches,
} from "@/api/sdk.gen";
import type { Connection, Match, Matches } from "@/api/types.gen";
import { usePagedRows } from "@/lib/list-rows";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { acceptedOf, missingOf, openLines } from "@/messages/connections";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { DataList } from "@/ui/data-list";
import { SearchField } from "@/ui/filter";
import { IconButton } from "@/ui/icon-button";
import { lazyDialog } from "@/ui/lazy-dialog";
import { toast } from "@/ui/toast";
import type { ConnectionSearch, Kind } from "./tabs";
import { kinds } from "./tabs";
import { kindWords, nameOf } from "./words";

const ChooseDialog = lazyDialog(async () => (await import("./choose-dialog")).ChooseDialog);

/** What suppliers, articles and locations are in the other system. */
export function MatchMap({ connection }: { connection: Connection }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const go = useNavigate();
  const search = useSearch({ from: "/inside/w/$workspace/connections/$connection" });
  const { kind = "supplier", unmapped, q } = search;
  const path = { workspace: workspace.id, connection: connection.id };
  const query = { kind, ...(unmapped && { unmapped }), ...(q && { q }) };
  const queryKey = [...listExchangeMatchesQueryKey({ path, query }), "pages"];
  const list = usePagedRows({
    queryKey,
    read: async (cursor, signal) =>
      (
        await listExchangeMatches({
          path,
          query: { ...query, ...(cursor && { cursor }) },
          signal,
          throwOnError: true,
        })
      ).data,
    idOf: ({ id }) => id,
  });
  const last = (list.live.of.data as InfiniteData<Matches> | undefined)?.pages.at(-1);
  const [choosing, setChoosing] = useState<Match>();
  const { choose, forget, accept } = useMapCalls(path, kind);
  const look = (next: ConnectionSearch) =>
    void go({
      to: "/w/$workspace/connections/$connection",
      params: path,
      search: { tab: "map", ...search, ...next },
      replace: true,
      resetScroll: false,
    });
  const sure = list.rows?.some(({ suggestions }) => suggestions.some((one) => one.sure));
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">What to map</legend>
          {kinds.map((one) => (
            <KindButton
              key={one}
              kind={one}
              pressed={one === kind}
              missing={last?.counts.find((count) => count.kind === one)?.missing}
              onPress={() => look({ kind: one })}
            />
          ))}
        </fieldset>
        <Checkbox
          label="Only without a counterpart"
          checked={unmapped === true}
          onCheckedChange={(on) => look({ unmapped: on })}
        />
        <div className="w-full sm:w-56">
          <SearchField
            label={`Find ${kindWords[kind].many.toLowerCase()}`}
            placeholder={kind === "article" ? "Name or SKU" : "Name or id"}
            text={q}
            onSearch={(text) => look({ q: text ?? "" })}
          />
        </div>
        {kind !== "location" && (
          <Button
            className="sm:ml-auto"
            variant={sure ? "primary" : "secondary"}
            icon={<CheckCheck aria-hidden />}
            loading={accept.isPending}
            onClick={() => accept.mutate()}
          >
            Accept sure suggestions
          </Button>
        )}
      </div>
      {last?.trouble && (
        <p role="status" className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          No suggestions: {last.trouble}.{" "}
          <button type="button" className="rounded-sm underline" onClick={() => void list.refetch()}>
            Try again
          </button>
        </p>
      )}
      <DataList
        caption={kindWords[kind].many}
        noun={kindWords[kind].one}
        list={list}
        idOf={({ id }) => id}
        nameOf={nameOf}
        columns={[
          { id: "here", head: "Here", cell: (row) => <Ours match={row} /> },
          {
            id: "lines",
            head: "Open lines",
            num: true,
            className: "w-28",
            cell: (row) => row.open_lines || "",
          },
          {
            id: "there",
            head: `In ${connection.name}`,
            className: "w-1/2",
            cell: (row) => (
              <Theirs
                match={row}
                onUse={choose}
                onOther={() => setChoosing(row)}
                onForget={() => forget(row)}
              />
            ),
          },
        ]}
        card={(row) => (
          <div className="flex flex-col gap-2">
            <div>
              <Ours match={row} />
              {row.open_lines > 0 && (
                <span className="text-muted text-xs">{openLines({ count: row.open_lines }, locale)}</span>
              )}
            </div>
            <Theirs
              match={row}
              onUse={choose}
              onOther={() => setChoosing(row)}
              onForget={() => forget(row)}
            />
          </div>
        )}
        empty={
          <p className="px-4 py-8 text-center text-muted">
            {unmapped || q
              ? "Nothing matches."
              : kind === "location"
                ? "No open line names a location. Goods arrive at the connection's location."
                : `No ${kindWords[kind].many.toLowerCase()} to map yet.`}
          </p>
        }
      />
      {choosing && (
        <ChooseDialog
          connection={connection}
          match={choosing}
          onChoose={(there) => choose(choosing, there)}
          onClosed={() => setChoosing(undefined)}
        />
      )}
    </>
  );
}

interface KindButtonProps {
  kind: Kind;
  pressed: boolean;
  missing: number | undefined;
  onPress: () => void;
}

function KindButton({ kind, pressed, missing, onPress }: KindButtonProps) {
  const { locale } = useLocale();
  return (
    <Button
      aria-pressed={pressed}
      onClick={onPress}
      variant={pressed ? "secondary" : "ghost"}
      className={pressed ? "border-accent-ink! text-accent-ink!" : ""}
    >
      {kindWords[kind].many}
      {missing !== undefined && missing > 0 && (
        <span className="text-muted text-xs">{missingOf({ count: missing }, locale)}</span>
      )}
    </Button>
  );
}

export interface There {
  id: string;
  name?: string;
}

/** The calls that change the map. The list is read again after each, with new suggestions. */
function useMapCalls(path: { workspace: string; connection: string }, kind: Kind) {
  const client = useQueryClient();
  const { locale } = useLocale();
  const reload = () =>
    client.invalidateQueries({ queryKey: listExchangeMatchesQueryKey({ path }).slice(0, 1) });
  const choose = async (match: Match, there: There) => {
    await chooseExchangeMatch({
      path,
      body: { kind: match.kind, id: match.id, theirs: there.id, ...(there.name && { name: there.name }) },
      throwOnError: true,
    });
    await reload();
  };
  const forgetting = useMutation({
    mutationFn: ({ kind, id }: Match) =>
      forgetExchangeMatch({ path, body: { kind, id }, throwOnError: true }),
    onSuccess: (_, match) => {
      const { there } = match;
      toast.success(`${nameOf(match)} has no counterpart now`, {
        ...(there && { undo: () => void choose(match, there).catch((cause: unknown) => toast.error(cause)) }),
      });
      return reload();
    },
    onError: (cause) => toast.error(cause),
  });
  const accept = useMutation({
    mutationFn: async () => (await acceptExchangeMatches({ path, body: { kind }, throwOnError: true })).data,
    onSuccess: ({ accepted, more }) => {
      toast.success(acceptedOf({ count: accepted }, locale), {
        ...(more && { description: "There are more to look at: accept again." }),
      });
      return reload();
    },
    onError: (cause) => toast.error(cause, "No suggestion was accepted"),
  });
  return { choose, forget: forgetting.mutate, accept };
}

function Ours({ match }: { match: Match }) {
  return (
    <div className="min-w-0">
      <span className="font-medium text-ink">{nameOf(match)}</span>
      {match.code && <code className="ml-2 font-mono text-muted text-xs">{match.code}</code>}
      {match.kind === "location" && match.order_no && (
        <span className="ml-2 text-muted text-xs">such as order {match.order_no}</span>
      )}
    </div>
  );
}

interface TheirsProps {
  match: Match;
  onUse: (match: Match, there: There) => Promise<void>;
  onOther: () => void;
  onForget: () => void;
}

function Theirs({ match, onUse, onOther, onForget }: TheirsProps) {
  const { there, suggestions } = match;
  if (there)
    return (
      <div className="flex items-center gap-2">
        <Check className="size-4 shrink-0 text-good-ink" aria-hidden />
        <span className="min-w-0">
          {there.name || "No name"} <span className="text-muted text-xs">id {there.id}</span>
        </span>
        {there.by.type === "sync" && <Badge>by SKU</Badge>}
        <span className="ml-auto flex shrink-0 items-center gap-1">
          <Button size="sm" variant="ghost" onClick={onOther}>
            Change…
          </Button>
          <IconButton
            label={`Forget the counterpart of ${nameOf(match)}`}
            icon={<X aria-hidden />}
            size="sm"
            onClick={onForget}
          />
        </span>
      </div>
    );
  return (
    <div className="flex flex-wrap items-center gap-2">
      {suggestions.slice(0, 2).map((one) => (
        <UseButton key={one.id} match={match} there={one} sure={one.sure} onUse={onUse} />
      ))}
      <Button size="sm" variant="ghost" className="ml-auto" onClick={onOther}>
        {suggestions.length > 0 ? "Another…" : "Choose…"}
        <span className="sr-only"> for {nameOf(match)}</span>
      </Button>
    </div>
  );
}

interface UseButtonProps {
  match: Match;
  there: There;
  sure: boolean;
  onUse: (match: Match, there: There) => Promise<void>;
}

function UseButton({ match, there, sure, onUse }: UseButtonProps) {
  const { mutate, isPending } = useMutation({
    mutationFn: () => onUse(match, there),
    onError: (cause) => toast.error(cause),
  });
  return (
    <Button size="sm" loading={isPending} onClick={() => mutate()}>
      {there.name || there.id}
      <span className="font-normal text-muted">
        {sure
          ? "sure"
          : match.kind === "location"
            ? ""
            : match.kind === "article"
              ? `id ${there.id}`
              : "similar"}
      </span>
      <span className="sr-only"> for {nameOf(match)}</span>
    </Button>
  );
}
