import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, ChevronRight } from "lucide-react";
import { useState } from "react";
import { listIngestRuleVersionsOptions } from "@/api/@tanstack/react-query.gen";
import type { IngestRule } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { Badge } from "@/ui/badge";
import { Checkbox } from "@/ui/checkbox";
import { IconButton } from "@/ui/icon-button";
import { Time } from "@/ui/time";
import { useWho } from "./attempts";
import { useChangeRule } from "./rule-queries";
import { ruleWords } from "./rule-words";

interface RuleRowProps {
  rule: IngestRule;
  /** Its place among the rules of its table; the first is 1. */
  place: number;
  of: number;
}

/** One rule: what it does, whose records it changes, who made it, and its switch. */
export function RuleRow({ rule, place, of }: RuleRowProps) {
  const { can } = usePlace();
  const who = useWho();
  const { change, changing, enabled } = useChangeRule(rule);
  const words = ruleWords(rule.fix);
  return (
    <li aria-label={words} className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className={cx("wrap-anywhere", !rule.enabled && "text-muted")}>
          {words}, {sender(rule)}
        </p>
        <p className="text-subtle text-xs">
          Kept by {who(rule.created_by_type, rule.created_by_id)}, <Time value={rule.created_at} />
        </p>
        <Versions rule={rule} />
      </div>
      <div className="flex items-center gap-1">
        {can("define_tables") ? (
          <>
            {of > 1 && (
              <>
                <IconButton
                  label={`Apply earlier: ${words}`}
                  icon={<ArrowUp />}
                  size="sm"
                  disabled={changing || place === 1}
                  onClick={() => change({ place: place - 1 })}
                />
                <IconButton
                  label={`Apply later: ${words}`}
                  icon={<ArrowDown />}
                  size="sm"
                  disabled={changing || place === of}
                  onClick={() => change({ place: place + 1 })}
                />
              </>
            )}
            <div className="pl-2">
              <Checkbox
                label="On"
                checked={enabled}
                disabled={changing}
                onCheckedChange={(next) => change({ enabled: next })}
              />
            </div>
          </>
        ) : (
          <Badge tone={rule.enabled ? "good" : "neutral"}>{rule.enabled ? "On" : "Off"}</Badge>
        )}
      </div>
    </li>
  );
}

/** Whose records a rule changes. */
function sender({ key_id, key_label }: { key_id?: string; key_label?: string }): string {
  if (key_id === undefined) return "from every sender";
  return `from ${key_label || `key ${key_id.slice(-6)}`}`;
}

/** The versions of a rule that was changed; the newest is the one in force. */
function Versions({ rule }: { rule: IngestRule }) {
  const [open, setOpen] = useState(false);
  if (rule.version < 2) return null;
  return (
    <details className="group mt-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded-sm text-accent-ink text-xs hover:underline">
        <ChevronRight className="size-3.5 group-open:rotate-90" aria-hidden />
        Version {rule.version}, <Time value={rule.updated_at} />
      </summary>
      {open && <VersionList rule={rule} />}
    </details>
  );
}

function VersionList({ rule }: { rule: IngestRule }) {
  const { workspace } = usePlace();
  const who = useWho();
  const options = listIngestRuleVersionsOptions({ path: { workspace: workspace.id, rule: rule.id } });
  // A rule that was changed has another version, and so another list.
  const queryKey = [...options.queryKey, rule.version] as unknown as typeof options.queryKey;
  const { data } = useQuery({ queryFn: options.queryFn, queryKey });
  return (
    <ol aria-label="Versions" className="mt-1 flex flex-col gap-1 text-xs">
      {data?.items.map((one) => (
        <li key={one.version}>
          <span className="wrap-anywhere">
            {one.version}: {one.enabled ? ruleWords(one.fix) : `Off (${ruleWords(one.fix)})`}, {sender(one)}
          </span>
          <span className="block text-subtle">
            {who(one.by_type, one.by_id)}, <Time value={one.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
