import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleSlash,
  Clock,
  type LucideIcon,
} from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export type Tone = "neutral" | "info" | "good" | "warn" | "bad";

const tones: Record<Tone, string> = {
  neutral: "bg-sunken text-muted ring-line",
  info: "bg-accent-soft text-accent-ink ring-accent-ink/20",
  good: "bg-good-soft text-good-ink ring-good-ink/20",
  warn: "bg-warn-soft text-warn-ink ring-warn-ink/25",
  bad: "bg-bad-soft text-bad-ink ring-bad-ink/20",
};

interface BadgeProps {
  tone?: Tone;
  icon?: ReactNode;
  children: ReactNode;
}

export function Badge({ tone = "neutral", icon, children }: BadgeProps) {
  return (
    <span
      className={cx(
        "inline-flex h-5 w-fit items-center gap-1 align-middle whitespace-nowrap rounded-full px-2 font-medium text-xs ring-1 ring-inset [&_svg]:size-3",
        tones[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}

// Shape and word differ as well as colour, so the meaning is clear without colour.
const statuses = {
  open: ["bad", CircleAlert, "Open"],
  resolved: ["good", CircleCheck, "Resolved"],
  ignored: ["neutral", Ban, "Ignored"],
  healthy: ["good", CircleCheck, "Healthy"],
  failing: ["bad", CircleAlert, "Failing"],
  attention: ["warn", CircleDot, "Has failures"],
  waiting: ["neutral", CircleDashed, "Waiting"],
  draft: ["neutral", CircleDashed, "Draft"],
  submitted: ["info", Clock, "Submitted"],
  pending: ["info", Clock, "Pending approval"],
  ordered: ["info", CircleDot, "Ordered"],
  approved: ["info", CircleCheck, "Approved"],
  partial: ["warn", CircleDot, "Partially received"],
  received: ["good", CircleCheck, "Received"],
  short: ["warn", CircleSlash, "Closed short"],
  overdue: ["warn", Clock, "Overdue"],
  cancelled: ["neutral", Ban, "Cancelled"],
} as const satisfies Record<string, readonly [Tone, LucideIcon, string]>;

export type Status = keyof typeof statuses;
export const allStatuses = Object.keys(statuses) as Status[];

export function StatusBadge({ status }: { status: Status }) {
  const [tone, Icon, text] = statuses[status];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {text}
    </Badge>
  );
}
