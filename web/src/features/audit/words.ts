import type { AuditEntry } from "@/api/types.gen";
import { type Role, roleNames } from "@/features/members/roles";
import { type Weekday, weekdayNames } from "@/features/workspaces/weekdays";
import { agentName, procurementAgent } from "@/lib/agents";
import { formatNumber } from "@/lib/format";
import { formatDay } from "@/lib/time";
import {
  failedImports,
  linesOfRun,
  ordersOf,
  tokensEnded,
  worksForDays,
  worksForHours,
} from "@/messages/audit";
import { foldedLines, lineOf } from "./fold";

type Data = AuditEntry["data"];

interface ActionText {
  /** The label in the filter. */
  label: string;
  /** Describes the action; follows the actor's name. */
  tell: (data: Data, subject: string, locale: string) => string;
  /** What was done to a purchase order line. */
  did?: string;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");
const quoted = (value: unknown) => `“${text(value)}”`;
const role = (value: unknown) => roleNames[text(value) as Role] ?? text(value);
const named = ({ name, email }: Data) => text(name) || text(email) || "somebody";
const thing = (d: Data) => quoted(text(d.ours_name) || text(d.ours));
const scope = (value: unknown) => (value === "*" ? "every table" : text(value));

/** Every action that the service records, in the order of the filter. */
const actions: Record<string, ActionText> = {
  "key.issued": {
    label: "API key created",
    tell: (d) =>
      `created the API key ${quoted(d.label)} for ${scope(d.scope)}${d.order_drafted_here ? ", which may order what was drafted here" : ""}`,
  },
  "key.rotated": {
    label: "API key rotated",
    tell: (d, _, locale) =>
      `rotated the API key ${quoted(d.label)}; the old one ${lives(d.overlap_hours, locale)}`,
  },
  "company.suspended": { label: "Company suspended", tell: () => "suspended the company" },
  "company.resumed": { label: "Company resumed", tell: () => "let the company go on" },
  "company.deletion_planned": { label: "Deletion planned", tell: () => "planned the company's deletion" },
  "company.outbound_changed": {
    label: "Reachable networks changed",
    tell: (d) =>
      Array.isArray(d.to)
        ? `narrowed the internal networks that connections may reach to ${d.to.join(", ") || "none"}`
        : "let connections reach all internal networks of this installation",
  },
  "company.restored": {
    label: "Restored from a backup",
    tell: () => "restored the database from a backup; what was waiting to be sent is held",
  },
  "key.revoked": { label: "API key revoked", tell: (d) => `revoked the API key ${quoted(d.label)}` },
  "token.issued": {
    label: "Token created",
    tell: (d) =>
      `created the token ${quoted(d.label)} for ${d.agent ? "an agent" : "themselves"}${opening(d.scopes)}`,
  },
  "token.revoked": { label: "Token revoked", tell: (d) => `revoked the token ${quoted(d.label)}` },
  "table.defined": {
    label: "Table made",
    tell: (d) => `made the table ${quoted(d.name)}`,
  },
  "table.changed": {
    label: "Table changed",
    tell: (d) => {
      if (d.sequence === undefined) return `changed the table ${quoted(d.name)}`;
      const by = d.sequence === "" ? "as they arrive" : `by ${quoted(d.sequence)}`;
      return `had deliveries to the table ${quoted(d.name)} ordered ${by}`;
    },
  },
  "table.retired": {
    label: "Table retired",
    tell: (d) => `retired the table ${quoted(d.name)}`,
  },
  "table.restored": {
    label: "Table brought back",
    tell: (d) => `brought the table ${quoted(d.name)} back`,
  },
  "column.defined": {
    label: "Column added",
    tell: (d) => `added the column ${quoted(d.column)} to the table ${quoted(d.table)}`,
  },
  "column.changed": {
    label: "Column changed",
    tell: (d) => `changed the column ${quoted(d.column)} of the table ${quoted(d.table)}`,
  },
  "column.retired": {
    label: "Column retired",
    tell: (d) => `retired the column ${quoted(d.column)} of the table ${quoted(d.table)}`,
  },
  "column.restored": {
    label: "Column brought back",
    tell: (d) => `brought the column ${quoted(d.column)} of the table ${quoted(d.table)} back`,
  },
  "rule.kept": {
    label: "Rule kept",
    tell: (d) => `kept a rule for ${quoted(d.field)} of the table ${quoted(d.table)}${ruleSender(d.key)}`,
  },
  "rule.changed": {
    label: "Rule changed",
    tell: (d) =>
      `${ruleChange(d)} the rule for ${quoted(d.field)} of the table ${quoted(d.table)}${ruleSender(d.key)}`,
  },
  "article.merged": {
    label: "Articles merged",
    tell: (d) => `merged the article ${quoted(d.name)} without an external_id into ${quoted(d.external_id)}`,
  },
  "unknown_field.ignored": {
    label: "Unknown field ignored",
    tell: (d) => `ignored the field ${quoted(d.field)} that comes to the table ${quoted(d.table)}`,
  },
  "unknown_field.restored": {
    label: "Unknown field no longer ignored",
    tell: (d) => `no longer ignores the field ${quoted(d.field)} that comes to the table ${quoted(d.table)}`,
  },
  "unknown_values.kept": {
    label: "Values of unknown fields kept",
    tell: (d) => `began to keep the values of fields that the table ${quoted(d.table)} does not have`,
  },
  "unknown_values.dropped": {
    label: "Values of unknown fields deleted",
    tell: (d) =>
      `deleted the values of fields that the table ${quoted(d.table)} does not have, and keeps no more`,
  },
  "backfill.started": {
    label: "Backfill started",
    tell: (d) => `began to fill the column ${quoted(d.column)} of the table ${quoted(d.table)}`,
  },
  "backfill.cancelled": { label: "Backfill cancelled", tell: () => "cancelled a backfill" },
  "connection.created": {
    label: "Connection created",
    tell: (d) => `connected ${quoted(d.name)} at ${text(d.address)}`,
  },
  "connection.changed": {
    label: "Connection changed",
    tell: (d, _, locale) =>
      `changed the connection ${quoted(d.name)}${d.token === true ? " and its token" : ""}${changes(connected, d.from, d.to, locale)}`,
  },
  "connection.token_replaced": {
    label: "Connection’s token replaced",
    tell: (d) => `replaced the token of the connection ${quoted(d.name)}`,
  },
  "connection.tested": {
    label: "Connection tested",
    tell: (d) => `tested the connection ${quoted(d.name)}: ${d.passed === true ? "passed" : text(d.failure)}`,
  },
  "connection.paused": {
    label: "Connection paused",
    tell: (d) => `paused the connection ${quoted(d.name)}: ${text(d.reason)}`,
  },
  "connection.resumed": {
    label: "Connection resumed",
    tell: (d) => `took the connection ${quoted(d.name)} into use`,
  },
  "connection.deleted": {
    label: "Connection deleted",
    tell: (d) => `deleted the connection ${quoted(d.name)}`,
  },
  "connection.hook_set": {
    label: "Secret of webhooks set",
    tell: (d) => `set the secret of the webhooks of ${quoted(d.name)}`,
  },
  "connection.reconcile_asked": {
    label: "Reconcile asked for",
    tell: (d) => `asked to compare all orders with ${quoted(d.name)}`,
  },
  "connection.matched": {
    label: "Counterpart chosen",
    tell: (d) =>
      `said what the ${text(d.kind)} ${thing(d)} is in ${quoted(d.name)}: ${text(d.theirs_name) || text(d.theirs)}`,
  },
  "connection.unmatched": {
    label: "Counterpart forgotten",
    tell: (d) => `forgot what the ${text(d.kind)} ${thing(d)} is in ${quoted(d.name)}`,
  },
  "connection.suggestions_accepted": {
    label: "Suggestions accepted",
    tell: (d, _, locale) =>
      `accepted what is surely the same ${text(d.kind)} in ${quoted(d.name)}: ${formatNumber(Number(d.accepted ?? 0), locale)}`,
  },
  "exchange_order.paused": {
    label: "Exchange of an order paused",
    tell: (d, order) => `paused the exchange of the order ${order} with ${quoted(d.name)}`,
  },
  "exchange_order.resumed": {
    label: "Exchange of an order resumed",
    tell: (d, order) => `resumed the exchange of the order ${order} with ${quoted(d.name)}`,
  },
  "exchange_order.retried": {
    label: "Exchange of an order retried",
    tell: (d, order) => `compared the order ${order} with ${quoted(d.name)} again`,
  },
  "exchange_orders.retried": {
    label: "Exchange of orders retried",
    tell: (d, _, locale) =>
      `compared ${ordersOf({ count: Number(d.orders ?? 0) }, locale)} with ${quoted(d.name)} again`,
  },
  "exchange_conflict.decided": {
    label: "Conflict decided",
    tell: (d, order, locale) =>
      `decided what counts in the order ${order}, here or in ${quoted(d.name)}${decisions(d.decisions, locale)}`,
  },
  "tool.called": {
    label: "Tool called",
    tell: (d, tool) => `called the tool ${tool}${text(d.refused) && `: refused, ${text(d.refused)}`}`,
  },
  "resource.read": {
    label: "Resource read",
    tell: (d, uri) => `read the resource ${uri}${text(d.refused) && `: refused, ${text(d.refused)}`}`,
  },
  "invitation.made": {
    label: "Invitation made",
    tell: (d) => `invited ${text(d.email)} as ${role(d.role)}`,
  },
  "invitation.withdrawn": {
    label: "Invitation withdrawn",
    tell: (d) => `withdrew the invitation for ${text(d.email)}`,
  },
  "invitation.accepted": {
    label: "Invitation accepted",
    tell: (d) => `accepted the invitation for ${text(d.email)} as ${role(d.role)}`,
  },
  "member.added": { label: "Member added", tell: (d) => `added ${named(d)} as ${role(d.role)}` },
  "member.role_changed": {
    label: "Role changed",
    tell: (d) => `changed the role of ${named(d)} from ${role(d.from)} to ${role(d.to)}`,
  },
  "member.removed": { label: "Member removed", tell: (d) => `removed ${named(d)}, who was ${role(d.role)}` },
  "member.password_link_made": {
    label: "Password link made",
    tell: (d) => `made a password link for ${named(d)}`,
  },
  "member.password_changed": {
    label: "Password changed",
    tell: (d, _, locale) =>
      `${d.how === "link" ? "chose a new password with a link" : "changed their own password"}${ended(d.tokens_ended, locale)}`,
  },
  "member.renamed": {
    label: "Member renamed",
    tell: (d) => `changed their name from ${quoted(d.from)} to ${quoted(d.to)}`,
  },
  "session.started": {
    label: "Signed in",
    tell: (d) => `signed in${d.how === "invitation" ? " with an invitation" : ""}${from(d.address)}`,
  },
  "session.refused": {
    label: "Sign-in refused",
    tell: (d) => `refused a wrong password for ${text(d.email) || "a member"}${from(d.address)}`,
  },
  "table.exported": {
    label: "Table exported",
    tell: (d, table) =>
      `exported ${d.filtered === true ? "filtered rows" : "all rows"} of the table ${table}`,
  },
  "failures.exported": {
    label: "Failed imports exported",
    tell: (d) => `exported failed imports${text(d.table) && ` of ${text(d.table)}`}`,
  },
  "import.rejects_exported": {
    label: "Refused records exported",
    tell: (d) => `downloaded the refused records of ${quoted(d.file)}`,
  },
  "workspace.created": { label: "Workspace created", tell: (d) => `created the workspace ${quoted(d.name)}` },
  "workspace.changed": { label: "Workspace changed", tell: changed },
  "company.created": { label: "Company created", tell: (d) => `created the company ${quoted(d.name)}` },
  "failure.retried": {
    label: "Failed import retried",
    tell: (d) => `retried a failed import${d.edited === true ? ", edited" : ""}: ${answer(d.answer)}`,
  },
  "failure.dismissed": { label: "Failed import ignored", tell: () => "ignored a failed import" },
  "failure.reopened": { label: "Failed import reopened", tell: () => "reopened a failed import" },
  "bulk_retry.started": {
    label: "Bulk retry started",
    tell: (d, _, locale) =>
      `started to retry ${failedImports({ count: Number(d.total) }, locale)}${Number(d.fixes) > 0 ? " with fixes" : ""}`,
  },
  "bulk_retry.cancelled": { label: "Bulk retry cancelled", tell: () => "cancelled a bulk retry" },
  "import.started": {
    label: "Import started",
    tell: (d) => `started to import ${quoted(d.file)} into ${text(d.table)}`,
  },
  "import.cancelled": { label: "Import cancelled", tell: () => "cancelled an import" },
  "purchase_order_line.created": line("created", "created"),
  "purchase_order_line.edited": line("edited", "edited"),
  "purchase_order_line.submitted": line("submitted", "submitted"),
  "purchase_order_line.approved": line("approved", "approved"),
  "purchase_order_line.sent_back": line("sent back", "sent back"),
  "purchase_order_line.cancelled": line("cancelled", "cancelled"),
  "purchase_order_line.received": line("received", "booked a receipt of"),
  "purchase_order_line.closed_short": line("closed short", "closed short"),
  "purchase_order_line.corrected": line("receipt corrected", "corrected a receipt of"),
  "purchase_order_line.reopened": line("reopened", "reopened"),
  "purchase_order_line.split": line("split", "split"),
  "purchase_order_line.flags_seen": line("flags seen", "looked at the flags of"),
  "purchase_order.commented": {
    label: "Order commented on",
    tell: (_, order) => `commented on the order ${order}`,
  },
  "purchase_order.called": {
    label: "Call about an order",
    tell: (_, order) => `kept a call about the order ${order}`,
  },
  "purchase_order.reminded": {
    label: "Supplier reminded",
    tell: (_, order) => `reminded the supplier of the order ${order}`,
  },
  "purchase_order.sent": {
    label: "Order sent",
    tell: (d, order) =>
      `sent the order ${order}${Array.isArray(d.to) && d.to.length > 0 ? ` to ${d.to.join(", ")}` : ""}${d.by_hand ? " with their own mail program" : ""}`,
  },
  "order_receiver.allowed": {
    label: "Address for orders allowed",
    tell: (d) => `allowed that orders of ${text(d.supplier) || "no supplier"} go to ${text(d.address)}`,
  },
  "order_receiver.removed": {
    label: "Address for orders removed",
    tell: (d) => `took back that orders of ${text(d.supplier) || "no supplier"} go to ${text(d.address)}`,
  },
  "purchase_order.confirmed": {
    label: "Order confirmed",
    tell: (d, order) =>
      `kept the supplier's confirmation of the order ${order}${d.reference ? `, reference ${text(d.reference)}` : ""}`,
  },
  "recommendation.dismissed": {
    label: "Suggestion dismissed",
    tell: (d, article) => `dismissed the suggestion to order ${articleName(article)}: ${quoted(d.reason)}`,
  },
  "recommendation.snoozed": {
    label: "Suggestion put off",
    tell: (d, article, locale) =>
      `put the suggestion to order ${articleName(article)} off until ${text(d.until) && formatDay(text(d.until), locale)}`,
  },
  "recommendation.restored": {
    label: "Suggestion restored",
    tell: (_, article) => `put the suggestion to order ${articleName(article)} back into the queue`,
  },
  "agent_run.started": {
    label: "Agent run started",
    tell: (d) => `started ${d.dry === true ? "a dry run of " : ""}the procurement agent`,
  },
  "agent_run.ended": {
    label: "Agent run ended",
    tell: (d) =>
      d.status === "failed" ? `gave up its run${text(d.message) && `: ${text(d.message)}`}` : "ended its run",
  },
  "agent_run.undone": {
    label: "Agent run undone",
    tell: (d, _, locale) =>
      `undid a run of the procurement agent${linesOfRun({ count: Number(d.lines ?? 0) }, locale)}`,
  },
  "purchasing_rules.changed": {
    label: "Purchasing rules changed",
    tell: ({ from, to }, _, locale) => `changed the purchasing rules${changes(rules, from, to, locale)}`,
  },
  "procurement_config.changed": {
    label: "Purchasing config changed",
    tell: ({ to }) =>
      `changed the purchasing config${to && typeof to === "object" ? `: ${Object.keys(to).join(", ").replaceAll("_", " ")}` : ""}`,
  },
  "strategy.changed": {
    label: "Strategy changed",
    tell: (d) => `${d.from === null ? "created" : "changed"} the strategy ${quoted(d.title)}`,
  },
  "sop.changed": {
    label: "SOP changed",
    tell: (d) => `${d.from === null ? "created" : "changed"} the SOP ${quoted(d.title)}`,
  },
  "approval_limit.changed": {
    label: "Approval limit changed",
    // Older entries hold only the new amount.
    tell: (d, person, locale) => {
      const [before, after] = [money(d.from, locale), money("to" in d ? d.to : d, locale)];
      const whose = isId(person) || !person ? "an approval limit" : `the approval limit of ${person}`;
      return after
        ? `set ${whose}: ${after}${before && `, before ${before}`}`
        : `lifted ${whose}${before && `, ${before}`}`;
    },
  },
};

function line(what: string, did: string): ActionText {
  return {
    label: `Order line ${what}`,
    did,
    tell: ({ reason }) => `${did} a purchase order line${text(reason) && `: ${text(reason)}`}`,
  };
}

const from = (address: unknown) => text(address) && ` from ${text(address)}`;

function ended(tokens: unknown, locale: string): string {
  const count = Number(tokens ?? 0);
  return count > 0 ? tokensEnded({ count }, locale) : "";
}

function money(limit: unknown, locale: string): string {
  const { amount, currency } = (limit ?? {}) as Data;
  return text(amount) && `${decimal(text(amount), locale)} ${text(currency)}`;
}

/** Formats a number in the workspace's locale with all digits; returns other text unchanged. */
function decimal(text: string, locale: string): string {
  return formatNumber(text, locale, { digits: Math.min(20, (text.split(".")[1] ?? "").length) });
}

const rules: Record<string, string> = {
  four_eyes: "four eyes",
  agents_submit: "agents may submit",
  over_receipt_percent: "over-receipt %",
  reapproval_percent: "re-approval %",
};

/** The differences between two states, with the labels in `names`. */
function changes(names: Record<string, string>, from: unknown, to: unknown, locale: string): string {
  const [before, after] = [(from ?? {}) as Data, (to ?? {}) as Data];
  const shown = (value: unknown) =>
    typeof value === "boolean"
      ? value
        ? "yes"
        : "no"
      : decimal(typeof value === "number" ? String(value) : text(value), locale);
  const found = Object.entries(names)
    .filter(([name]) => before[name] !== after[name])
    .map(([name, label]) => `${label} ${shown(before[name])} → ${shown(after[name])}`);
  return found.length > 0 ? `: ${found.join(", ")}` : "";
}

function ruleSender(key: unknown): string {
  return key === "*" ? "" : ` from ${quoted(key)}`;
}

function ruleChange({ changed, enabled }: Data): string {
  const [only, ...others] = Array.isArray(changed) ? changed : [];
  if (others.length > 0) return "changed";
  if (only === "enabled") return enabled === true ? "switched on" : "switched off";
  return only === "place" ? "moved" : "changed";
}

function opening(scopes: unknown): string {
  return Array.isArray(scopes) ? `: ${scopes.map((one) => text(one).replaceAll("_", " ")).join(", ")}` : "";
}

function lives(hours: unknown, locale: string): string {
  if (typeof hours !== "number" || hours <= 0) return "ended at once";
  return hours > 24 ? worksForDays({ count: hours / 24 }, locale) : worksForHours({ count: hours }, locale);
}

function answer(code: unknown): string {
  if (code === "stale") return "newer data is stored";
  return code === "created" || code === "updated" || code === "unchanged"
    ? "stored"
    : `refused, ${text(code)}`;
}

/** What was decided about each field, and which value was not taken. */
function decisions(all: unknown, locale: string): string {
  if (!Array.isArray(all)) return "";
  const shown = (value: unknown) =>
    text(value) ? decimal(text(value), locale).replaceAll("_", " ") : "none";
  const told = (all as Data[]).map(({ sku, field, take, ours, theirs }) => {
    const [taken, left] = take === "ours" ? [ours, theirs] : [theirs, ours];
    const side = take === "ours" ? "ours" : "theirs";
    return `${text(sku)} ${text(field).replaceAll("_", " ")} ${side}, ${shown(taken)}, not ${shown(left)}`;
  });
  return told.length > 0 ? `: ${told.join("; ")}` : "";
}

const connected: Record<string, string> = {
  name: "name",
  address: "address",
  may_export: "export",
  may_load: "load",
  location: "location",
  calls_per_minute: "calls a minute",
};

const settings: Record<string, string> = {
  name: "name",
  time_zone: "time zone",
  base_currency: "currency",
  locale: "locale",
  week_start: "week start",
  address: "address",
  delivery_address: "delivery address",
  order_contact: "contact for suppliers",
  order_email: "where suppliers answer",
  vat_id: "VAT ID",
};

function changed({ from, to }: Data, _: string, locale: string): string {
  const [before, after] = [withWeekday(from), withWeekday(to)];
  return `changed the workspace ${quoted(before.name)}${changes(settings, before, after, locale) || ", without a change"}`;
}

function withWeekday(state: unknown): Data {
  const data = (state ?? {}) as Data;
  return { ...data, week_start: weekdayNames[data.week_start as Weekday] };
}

/** Describes an entry. An action that this version does not know is shown by its code. */
export function tell(
  entry: Pick<AuditEntry, "action" | "data" | "subject" | "subject_name">,
  locale: string,
): string {
  const { action, data, subject } = entry;
  return (
    actions[action]?.tell(data, entry.subject_name || subject, locale) ?? action.replaceAll(/[._]/g, " ")
  );
}

// The others do not change how much is ordered or received.
const withSum = /\.(created|submitted|approved|sent_back|cancelled|reopened|received|corrected)$/;

/** The parts of a sentence about lines of an order: before it, the order, and after it. */
export function tellOrder(all: readonly AuditEntry[], locale: string): [string, string, string] | undefined {
  const [entry] = all;
  const line = entry && lineOf(entry);
  const did = entry && actions[entry.action]?.did;
  if (!line || !did) return undefined;
  const reason = text(entry.data.reason);
  const split = entry.data.split as Data | undefined;
  if (split) return [`${did} a line of`, line.order, `, ${line.sku}: ${splitOff(split, locale)}`];
  return [
    all.length > 1 ? did : `${did} a line of`,
    line.order,
    `${foldedLines(all, locale, withSum.test(entry.action))}${reason && `: ${reason}`}`,
  ];
}

export const knownActions = Object.keys(actions);
export const actionLabel = (action: string) => actions[action]?.label ?? action;

const others: Record<string, string> = {
  operator: "Command line",
  system: "Quayside",
  key: "An API key",
  agent: "An agent",
  sync: "A sync",
};

/** Names an actor without a name: a kind of actor, or a former member's id. */
export const actorLabel = (who: string) =>
  who === procurementAgent ? agentName(who) : (others[who] ?? "A former member");

/** The actor's name. */
export function actorName(entry: Pick<AuditEntry, "by_type" | "by_id" | "by_name">): string {
  const { by_type, by_id, by_name } = entry;
  return by_type === "agent" ? agentName(by_id, by_name) : by_name || actorLabel(by_type);
}

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isId(subject: string): boolean {
  return id.test(subject);
}

/** An article by its name; one that is gone has none. */
const articleName = (article: string) => (isId(article) || !article ? "an article" : article);

function splitOff({ quantity, expected_arrival_date: day }: Data, locale: string): string {
  const when = text(day) ? `expected on ${formatDay(text(day), locale)}` : "without a day";
  return `${decimal(text(quantity), locale)} ${when}`;
}

type About = Pick<AuditEntry, "subject" | "subject_name" | "data" | "by_id" | "by_name">;

/** The subject's name, or the end of its id. */
export function subjectName({ subject, subject_name, data, by_id, by_name }: About): string {
  return (
    subject_name ||
    lineOf({ data })?.sku ||
    text(data.title) ||
    text(data.file) ||
    text(data.label) ||
    text(data.name) ||
    text(data.email) ||
    text((data.to as Data | undefined)?.name) ||
    (subject === by_id && by_name) || // people act on themselves when they sign in
    (id.test(subject) ? `…${subject.slice(-8)}` : subject)
  );
}
