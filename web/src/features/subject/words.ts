import type { Actor, RecordMoment } from "@/api/types.gen";
import { agentName } from "@/lib/agents";

/** Names whoever acted, for use inside a sentence. */
export function who(by: Actor | undefined): string {
  switch (by?.type) {
    case "key":
      return by.name ?? "an API key that is gone";
    case "user":
      return by.name ?? "a former member";
    case "agent":
      return agentName(by.id, by.name, "an agent");
    case "sync":
      return by.name ?? "a sync";
    case "operator":
      return "the operator";
    case "system":
      return "Quayside";
    default:
      return "an external system";
  }
}

const mostFields = 4;
/** Fields that say which record it is, and when. */
const identifying = new Set(["external_id", "sku", "stock_updated_at"]);

/** Describes what was done; follows the actor's name. */
export function told({ what, fields, by }: RecordMoment): string {
  if (fields.length > 0) {
    const telling = fields.filter((field) => !identifying.has(field));
    const shown = telling.length > 0 ? telling : fields;
    const said = shown.slice(0, mostFields).map((field) => field.replaceAll("_", " "));
    const rest = shown.length - said.length;
    const list = rest > 0 ? `${said.join(", ")} and ${rest} more` : said.join(", ");
    return `${by?.type === "user" ? "changed" : "sent"} ${list}`;
  }
  const action = what.split(".").at(-1) ?? what;
  return what.startsWith("ingest.") ? "sent the line" : `${action.replaceAll("_", " ")} the line`;
}
