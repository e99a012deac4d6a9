import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { PlaybookBy } from "@/api/types.gen";
import { useAgentName, useMemberName } from "@/features/members/queries";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { lazyPart } from "@/ui/lazy-part";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { authorName } from "./model";

const WordDiff = lazyPart(
  () => import("@/ui/word-diff").then((m) => m.WordDiff),
  () => <SkeletonText />,
);

interface Version {
  version: number;
  author: PlaybookBy;
  note: string;
  created_at: string;
}

interface VersionsProps<V extends Version> {
  list: UseQueryResult<{ items: V[]; next_cursor?: string }, unknown>;
  /** A version as text, for comparison with the one before it. */
  textOf: (version: V) => string;
  /** What else to say about a version. */
  about?: (version: V) => string | undefined;
  empty: string;
}

/** The versions of a document, the newest first; each can be compared with the one before it. */
export function Versions<V extends Version>({ list, textOf, about, empty }: VersionsProps<V>) {
  const { data, error, refetch } = list;
  const [shown, setShown] = useState<number>();
  const names = { user: useMemberName(), agent: useAgentName() };
  return (
    <Card title="Versions" description={data?.next_cursor ? "The newest are listed." : undefined}>
      {Boolean(error) && !data && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText label="Loading the versions" />}
      {data?.items.length === 0 && <p className="text-muted">{empty}</p>}
      <ol className="flex flex-col divide-y divide-line">
        {data?.items.map((one, index) => {
          const before = data.items[index + 1];
          const open = shown === one.version;
          const more = about?.(one);
          return (
            <li key={one.version} className="py-2">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
                <span className="font-medium text-ink">Version {one.version}</span>
                <span className="text-muted">{authorName(one.author, names)}</span>
                <Time value={one.created_at} inline />
                {more && <span className="text-muted">{more}</span>}
                <span className="min-w-0 flex-1 wrap-anywhere text-ink">{one.note}</span>
                {before && (
                  <Button
                    size="sm"
                    aria-expanded={open}
                    aria-label={`${open ? "Hide" : "Show"} the changes of version ${one.version}`}
                    onClick={() => setShown(open ? undefined : one.version)}
                  >
                    {open ? "Hide changes" : "Show changes"}
                  </Button>
                )}
              </div>
              {open && before && (
                <div className="mt-2">
                  <WordDiff before={textOf(before)} after={textOf(one)} />
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
