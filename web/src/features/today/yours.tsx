import type { LinkProps } from "@tanstack/react-router";
import type { Approvals, Part, Today } from "@/api/types.gen";
import { LeftOut } from "@/features/purchasing/left-out";
import type { OrdersTab } from "@/features/purchasing/tabs";
import { useNow } from "@/lib/live";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { relativeTime } from "@/lib/time";
import { ordersAndLines, worthAndSince } from "@/messages/today";
import { Row, Rows, Section, sumsText } from "./parts";

/** What waits for this person. Nothing does for those who may neither draft nor approve. */
export function Yours({ today }: { today: Today }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const { approvals, sent_back: sentBack, mine } = today;
  if (!approvals && !mine) return null;
  const orders = (tab?: OrdersTab): LinkProps => ({
    to: "/w/$workspace/purchase-orders",
    params: { workspace: workspace.id },
    search: tab ? { tab } : {},
  });
  const parts: { label: string; tab: OrdersTab; part: Part | undefined }[] = [
    { label: "Waiting for your approval", tab: "to_approve", part: approvals },
    { label: "Sent back to you", tab: "sent_back", part: sentBack },
    { label: "Your drafts", tab: "mine", part: mine },
  ];
  const waiting = parts.flatMap(({ part, ...row }) => (part && part.lines > 0 ? [{ ...row, part }] : []));
  return (
    <Section title="Yours" link={orders(waiting[0]?.tab)}>
      {waiting.length === 0 && <p className="text-muted">Nothing waits for you.</p>}
      <Rows>
        {waiting.map(({ label, tab, part }) => (
          <Row key={tab} link={orders(tab)} className="flex-wrap">
            <span className="flex-1 font-medium">{label}</span>
            <span className="tabular-nums">{ordersAndLines(part, locale)}</span>
            {part === approvals && <Worth approvals={approvals} />}
          </Row>
        ))}
      </Rows>
    </Section>
  );
}

function Worth({ approvals: { totals, since, left_out } }: { approvals: Approvals }) {
  const { locale } = useLocale();
  const now = useNow();
  if (!since) return null;
  return (
    <span className="basis-full text-muted tabular-nums">
      {worthAndSince(
        {
          worth: sumsText(totals, locale),
          since: relativeTime(new Date(since), new Date(now), locale),
        },
        locale,
      )}{" "}
      <LeftOut count={left_out} />
    </span>
  );
}
