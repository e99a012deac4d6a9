import { Link } from "@tanstack/react-router";
import { Ban, ChevronLeft, CircleCheck, CircleDashed } from "lucide-react";
import type { Strategy } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { statusWords } from "./model";
import type { PlaybookTab } from "./tabs";

const looks = {
  draft: ["neutral", CircleDashed],
  active: ["good", CircleCheck],
  archived: ["neutral", Ban],
} as const;

/** The status of a document's newest version, and the version that is in force if it is another. */
export function DocumentStatus(of: Pick<Strategy, "status" | "version" | "in_force_version">) {
  const [tone, Icon] = looks[of.status];
  const other = of.in_force_version !== 0 && of.in_force_version !== of.version;
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Badge tone={tone} icon={<Icon aria-hidden />}>
        {statusWords[of.status]}
      </Badge>
      {other && <span className="text-muted text-xs">version {of.in_force_version} in force</span>}
    </span>
  );
}

/** The link from a document back to its list. */
export function BackTo({ tab, label }: { tab: PlaybookTab; label: string }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/playbook"
      params={{ workspace: workspace.id }}
      search={{ tab }}
      className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
    >
      <ChevronLeft className="size-4" aria-hidden />
      {label}
    </Link>
  );
}
