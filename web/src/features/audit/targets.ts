import { linkOptions } from "@tanstack/react-router";
import type { AuditEntry } from "@/api/types.gen";

type Told = Pick<AuditEntry, "action" | "subject" | "subject_name" | "data" | "workspace_id">;

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Where an entry leads, and which words of its sentence lead there. Orders and runs have their own links. */
export function targetOf(entry: Told, here: string) {
  const { action, subject, data } = entry;
  const [kind = ""] = action.split(".");
  const params = { workspace: entry.workspace_id ?? here };
  switch (kind) {
    case "key":
      return { words: text(data.label), link: linkOptions({ to: "/w/$workspace/keys", params }) };
    case "token":
      return { words: text(data.label), link: linkOptions({ to: "/w/$workspace/tokens", params }) };
    case "connection":
      return { words: text(data.name), link: linkOptions({ to: "/w/$workspace/connections", params }) };
    case "invitation":
    case "member":
    case "approval_limit":
      return {
        words: entry.subject_name || text(data.name) || text(data.email),
        link: linkOptions({ to: "/w/$workspace/members", params }),
      };
    case "recommendation":
      return {
        words: entry.subject_name ?? "",
        link: linkOptions({ to: "/w/$workspace/products/$record", params: { ...params, record: subject } }),
      };
    case "purchase_order":
    case "exchange_order":
    case "exchange_conflict":
      return {
        words: subject,
        link: linkOptions({
          to: "/w/$workspace/purchase-orders/$order",
          params: { ...params, order: subject },
        }),
      };
    case "table":
      return {
        words: subject,
        link: linkOptions({ to: "/w/$workspace/tables/$slug", params: { ...params, slug: subject } }),
      };
    case "unknown_field":
    case "unknown_values":
    case "backfill":
      return text(data.table)
        ? {
            words: text(data.table),
            link: linkOptions({
              to: "/w/$workspace/tables/$slug",
              params: { ...params, slug: text(data.table) },
            }),
          }
        : undefined;
    case "import":
      return {
        words: text(data.file) || "an import",
        link: linkOptions({ to: "/w/$workspace/imports/$import", params: { ...params, import: subject } }),
      };
    case "article":
      return {
        words: text(data.external_id),
        link: linkOptions({ to: "/w/$workspace/products/$record", params: { ...params, record: subject } }),
      };
    case "failure":
    case "failures":
    case "bulk_retry":
      return {
        words: "failed import",
        link: linkOptions({ to: "/w/$workspace/failures", params }),
      };
    case "rule":
      return { words: "rule", link: linkOptions({ to: "/w/$workspace/failures/rules", params }) };
    case "purchasing_rules":
      return { words: "purchasing rules", link: linkOptions({ to: "/w/$workspace/purchasing", params }) };
    case "procurement_config":
      return { words: "purchasing config", link: linkOptions({ to: "/w/$workspace/playbook", params }) };
    case "strategy":
    case "sop":
      return {
        words: text(data.title),
        link: linkOptions({
          to: "/w/$workspace/playbook",
          params,
          search: { tab: kind === "sop" ? "sops" : "strategies" },
        }),
      };
    case "workspace":
      return {
        words: text(data.name) || text((data.from as AuditEntry["data"] | undefined)?.name),
        link: linkOptions({ to: "/w/$workspace/workspaces", params }),
      };
    default:
      return undefined;
  }
}
