import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getOrderTimelineInfiniteOptions } from "@/api/@tanstack/react-query.gen";
import type { OrderMoment } from "@/api/types.gen";
import { RunText } from "@/features/agent/run-link";
import { membersQuery } from "@/features/members/queries";
import { agentRun } from "@/lib/agents";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { Time } from "@/ui/time";
import { Changes } from "./changes";
import { CommentField } from "./comment-field";
import { deviationWords } from "./confirm-words";
import { confirmationOf, isIngest, mailOf, orderDoing, toldBy, verbOf } from "./line-words";
import { splitMentions } from "./mentions";
import { refreshEvery, useActors } from "./queries";
import { mailState } from "./sent-words";

const pageSize = 30;

interface TimelineProps {
  order: string;
  /** Opens the mail with the order. */
  send: () => void;
}

/** A mail is on its way for seconds, unless its server is away. */
const mailEvery = 2_000;

/** What happened to an order and was said about it, the latest first. */
export function Timeline({ order, send }: TimelineProps) {
  const { workspace, can } = usePlace();
  const path = { workspace: workspace.id, order };
  const list = useInfiniteQuery({
    ...getOrderTimelineInfiniteOptions({ path, query: { limit: pageSize } }),
    initialPageParam: { path },
    getNextPageParam: (last) => last.next_cursor,
    // Each page is a request, so only the first is kept fresh, and sooner while a mail is on its way.
    refetchInterval: ({ state: { data } }) =>
      (data?.pages.length ?? 0) < 2 && (data?.pages[0]?.items.some(isUnderway) ? mailEvery : refreshEvery),
  });
  const moments = list.data?.pages.flatMap((page) => page.items);
  return (
    <Card title="Timeline" className="mt-4">
      <div className="flex flex-col gap-4">
        {can("discuss_orders") && <CommentField order={order} />}
        {list.error && !moments && <ErrorNote error={list.error} retry={list.refetch} />}
        {!moments && !list.error && <SkeletonText lines={4} label="Loading the timeline" />}
        {moments?.length === 0 && <p className="text-muted">Nothing has happened yet.</p>}
        {moments && moments.length > 0 && (
          <ol aria-label="Timeline" className="flex flex-col gap-3 border-line border-l pl-4">
            {moments.map((moment) => (
              <Item key={moment.id} moment={moment} order={order} send={send} />
            ))}
          </ol>
        )}
        {list.hasNextPage && (
          <Button
            size="sm"
            className="self-start max-md:h-11"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </Button>
        )}
      </div>
    </Card>
  );
}

const isUnderway = (moment: OrderMoment) => moment.what === "sent" && !mailState(mailOf(moment)).ended;

function Item({ moment, order, send }: TimelineProps & { moment: OrderMoment }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const actor = useActors();
  const told = toldBy(moment);
  const alone = moment.lines === 1 && !isIngest(moment.what) && verbOf(moment.what) !== "created";
  return (
    <li>
      <p className="break-words">
        <span className="font-medium">
          <RunText text={actor(moment)} run={agentRun(moment.by_id, told.run)} workspace={workspace.id} />
        </span>{" "}
        {orderDoing(moment, locale)}
        {told.self_approved && " (approved by the same person)"}{" "}
        <span className="text-muted">
          · <Time value={moment.at} />
        </span>
      </p>
      {alone && <Changes told={told} />}
      {moment.what === "sent" ? (
        <SentMail moment={moment} order={order} send={send} />
      ) : (
        told.reason && <p className="break-words text-xs">“{told.reason}”</p>
      )}
      {moment.what === "confirmation" && <Differences moment={moment} />}
      {moment.text && <Said moment={moment} />}
    </li>
  );
}

/** What the supplier confirmed otherwise than ordered, and where the order stays as it was. */
function Differences({ moment }: { moment: OrderMoment }) {
  const { locale } = useLocale();
  const { differences } = confirmationOf(moment);
  if (differences.length === 0) return <p className="text-muted">As ordered.</p>;
  return (
    <ul aria-label="Differences" className="list-disc pl-5">
      {differences.map((one) => (
        <li key={one.id} className="break-words">
          {one.sku}: confirmed {deviationWords(one, locale)}
          {one.kept && (
            <span className="text-warn-ink">
              . The order keeps its {one.kept.join(" and ")}: {one.why}.
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** How it went, with the document that the supplier got. */
function SentMail({ moment, order, send }: TimelineProps & { moment: OrderMoment }) {
  const { workspace, can } = usePlace();
  const mail = mailOf(moment);
  const { note, tone } = mailState(mail);
  const file = `/api/app/workspaces/${workspace.id}/purchase-orders/${encodeURIComponent(order)}/mails/${moment.id}/pdf`;
  return (
    <>
      {note && (
        <p
          className={cx(
            "break-words",
            tone === "danger" && "text-bad-ink",
            tone === "warn" && "text-warn-ink",
          )}
        >
          {note}
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
        <span className="text-muted">{mail.subject}</span>
        {mail.cc.length > 0 && <span className="text-muted">Cc {mail.cc.join(", ")}</span>}
        <a
          href={file}
          download
          className="inline-flex min-h-6 items-center rounded-sm text-accent-ink hover:underline max-md:min-h-11"
        >
          PDF that was sent
        </a>
        {tone !== "plain" && can("send_orders") && (
          <Button size="sm" className="max-md:h-11" onClick={send}>
            Send again…
          </Button>
        )}
      </p>
    </>
  );
}

function Said({ moment: { text = "", mentions } }: { moment: OrderMoment }) {
  const { company } = usePlace();
  const members = useQuery(membersQuery(company.id)).data?.items ?? [];
  const mentioned = members.filter(({ id }) => mentions.includes(id));
  return (
    <p className="mt-1 max-w-prose whitespace-pre-wrap break-words rounded-md bg-canvas px-3 py-2">
      {splitMentions(text, mentioned).map((part, index) =>
        part.ids.length > 0 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never reorder
          <strong key={index} className="font-medium text-accent-ink">
            {part.text}
          </strong>
        ) : (
          part.text
        ),
      )}
    </p>
  );
}
