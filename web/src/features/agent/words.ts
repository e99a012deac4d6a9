import type { PlaybookConfig, Run } from "@/api/types.gen";
import { agentName } from "@/lib/agents";
import { mayDraft } from "@/messages/agent";

export const isGoing = ({ status }: Pick<Run, "status">) => status === "queued" || status === "running";

export const kindOf = ({ dry }: Pick<Run, "dry">) => (dry ? "Dry run" : "Run");

/** Names whoever started or undid a run. */
export function actorOf(by: Run["started_by"], me: string): string {
  switch (by.type) {
    case "user":
      return by.id === me ? "You" : (by.name ?? "A former member");
    case "agent":
      return agentName(by.id, by.name);
    case "operator":
      return "The operator";
    default:
      return "Quayside";
  }
}

/** Names whoever started a run. Nobody starts a daily one. */
export function starterOf({ day, started_by }: Pick<Run, "day" | "started_by">, me: string): string {
  return day ? "Daily" : actorOf(started_by, me);
}

type Counts = Pick<Run, "drafted" | "submitted">;

/** How many lines of a run could be undone. */
export const undoable = ({ drafted, submitted }: Counts) => drafted + submitted;

export function canUndo(run: Pick<Run, "dry" | "status"> & Counts): boolean {
  return !run.dry && !isGoing(run) && undoable(run) > 0;
}

/** Whether a run was undone; in part if lines of it are left. */
export function undoneState(run: Pick<Run, "undone_at" | "kept"> & Counts): "" | "Undone" | "Undone in part" {
  if (!run.undone_at) return "";
  return run.kept + undoable(run) > 0 ? "Undone in part" : "Undone";
}

/** Says what a run may do, as far as the config is known. */
export function limitWords(config: Pick<PlaybookConfig, "keys"> | undefined, locale: string): string {
  const value = (name: string) => config?.keys.find((key) => key.name === name)?.value;
  const [most, submits] = [value("agent_max_lines_per_run"), value("agent_can_submit")];
  if (typeof most !== "number" || typeof submits !== "boolean")
    return "It drafts lines within the limits of the playbook, and submits them for approval if the playbook allows that.";
  const drafts = mayDraft({ count: most }, locale);
  if (most === 0) return drafts;
  return `${drafts}, and ${submits ? "submits them for approval" : "leaves them as drafts"}.`;
}

/** Whether whoever starts a run may approve its lines. Until the config is known, the default counts. */
export function fourEyes(config: Pick<PlaybookConfig, "keys"> | undefined): boolean {
  return config?.keys.find(({ name }) => name === "require_four_eyes")?.value !== false;
}

/** The service sends refusals without capital letter and full stop. */
export function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}
