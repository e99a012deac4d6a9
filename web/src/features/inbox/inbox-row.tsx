import { Link, useRouter } from "@tanstack/react-router";
import { AtSign, Check, CircleAlert, Eye, type LucideIcon, ShieldCheck, Undo2 } from "lucide-react";
import type { MouseEvent } from "react";
import type { InboxItem } from "@/api/types.gen";
import { Totals } from "@/features/purchasing/parts";
import { useActors } from "@/features/purchasing/queries";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { linesBack, mentioned, sentBack, submitted, waits } from "@/messages/inbox";
import { IconButton } from "@/ui/icon-button";
import { Time } from "@/ui/time";
import type { Kind } from "./search";
import { canBeDone, keyOf } from "./use-inbox";

const icons: Record<Kind, LucideIcon> = {
  approval: ShieldCheck,
  sent_back: Undo2,
  mention: AtSign,
  alert: CircleAlert,
};

interface InboxRowProps {
  item: InboxItem;
  onSeen: () => void;
  onDone: () => void;
}

/** One item; all of it is the link. */
export function InboxRow({ item, onSeen, onDone }: InboxRowProps) {
  const { title, detail } = useWords(item);
  const Icon = icons[item.kind];
  const done = canBeDone(item);
  return (
    <li
      data-row={keyOf(item)}
      tabIndex={-1}
      className="relative flex items-start gap-3 px-4 py-2.5 hover:bg-hover has-[a:focus-visible]:bg-hover/60"
    >
      <span
        aria-hidden
        className={cx("mt-1.5 -mr-1 size-2 shrink-0 rounded-full", !item.seen && "bg-accent")}
      />
      <Icon
        aria-hidden
        className={cx("mt-0.5 size-4 shrink-0", item.kind === "alert" ? "text-bad-ink" : "text-subtle")}
      />
      <div className="min-w-0 flex-1 gap-x-4 md:flex md:justify-between">
        <div className="min-w-0">
          <Opener item={item} onOpen={onSeen}>
            {!item.seen && <span className="sr-only">Unseen: </span>}
            {title}
          </Opener>
          <p className="wrap-anywhere line-clamp-2 text-muted">{detail}</p>
        </div>
        <span className="flex shrink-0 items-baseline gap-x-3 text-muted max-md:mt-0.5 md:flex-col md:items-end">
          <span className="relative text-xs md:order-last">
            <Time value={item.at} inline />
          </span>
          {item.totals.length > 0 && <Totals totals={item.totals} leftOut={item.left_out} />}
        </span>
      </div>
      {/* An empty square in place of the button, so that the text does not jump when the button goes. */}
      <span className="size-7 shrink-0 pointer-coarse:size-9">
        {(done || !item.seen) && (
          <IconButton
            size="sm"
            label={`${done ? "Done" : "Mark as seen"}: ${title}`}
            tooltip={false}
            icon={done ? <Check aria-hidden /> : <Eye aria-hidden />}
            className="relative"
            onClick={done ? onDone : onSeen}
          />
        )}
      </span>
    </li>
  );
}

interface OpenerProps {
  item: InboxItem;
  onOpen: () => void;
  children: React.ReactNode;
}

/** Leads to the order, where an approver decides, or to what the alert is about. */
function Opener({ item, onOpen, children }: OpenerProps) {
  const { workspace } = usePlace();
  const router = useRouter();
  const look = cx(
    "wrap-anywhere before:absolute before:inset-0 before:content-['']",
    item.seen ? "text-ink" : "font-semibold",
  );
  const { alert } = item;
  if (!alert) {
    return (
      <Link
        to="/w/$workspace/purchase-orders/$order"
        params={{ workspace: workspace.id, order: item.subject }}
        className={look}
        onClick={onOpen}
      >
        {children}
      </Link>
    );
  }
  const follow = (event: MouseEvent) => {
    onOpen();
    if (event.metaKey || event.ctrlKey || event.shiftKey) return; // another tab or window
    event.preventDefault();
    router.history.push(alert.path);
  };
  return (
    <a href={alert.path} className={look} onClick={follow}>
      {children}
    </a>
  );
}

/** What an item says: in one line, and below it. */
function useWords(item: InboxItem): { title: string; detail: string } {
  const { locale } = useLocale();
  const actor = useActors();
  const { kind, subject: order, text = "", lines, suppliers, alert } = item;
  const who = actor({ by_type: item.by_type ?? "", ...(item.by_id && { by_id: item.by_id }) });
  const from = suppliers.join(", ");
  switch (kind) {
    case "approval":
      return {
        title: waits({ order }, locale),
        detail: [submitted({ who, lines }, locale), from].filter(Boolean).join(" · "),
      };
    case "sent_back":
      return {
        title: sentBack({ who, order }, locale),
        detail: [text && `“${text}”`, linesBack({ lines }, locale), from].filter(Boolean).join(" · "),
      };
    case "mention":
      return { title: mentioned({ who, order }, locale), detail: text };
    default:
      return { title: alert?.summary ?? "", detail: alert?.reason ?? "" };
  }
}
