import type { Key } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useNow } from "@/lib/live";
import { Badge } from "@/ui/badge";
import { Time } from "@/ui/time";

const soon = 7 * 24 * 60 * 60 * 1000;

interface KeyStatusProps {
  /** A key or a token, which have the same states. */
  target: Pick<Key, "status" | "expires_at" | "replaced_by">;
  /** The class of the line that says when it ends. */
  endClass?: string;
}

export function KeyStatus({ target, endClass }: KeyStatusProps) {
  const now = useNow();
  if (target.status === "revoked") return <Badge>Revoked</Badge>;
  if (target.status === "expired") return <Badge>Expired</Badge>;
  if (!target.expires_at) return <Badge tone="good">Live</Badge>;
  const ending = new Date(target.expires_at).getTime() - now < soon;
  return (
    <span className="flex flex-col gap-0.5">
      <Badge tone={ending ? "warn" : "good"}>{target.replaced_by ? "Replaced" : "Live"}</Badge>
      <span className={cx("text-subtle text-xs", endClass)}>
        ends <Time value={target.expires_at} />
      </span>
    </span>
  );
}
