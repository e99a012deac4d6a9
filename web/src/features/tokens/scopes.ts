import type { Token } from "@/api/types.gen";
import type { Permission } from "@/lib/session";

export type Scope = Token["scopes"][number];

interface ScopeWords {
  value: Scope;
  label: string;
  /** What the scope allows, in one sentence. */
  hint: string;
  /** A role without this permission can do nothing in the scope, so the service refuses the scope. */
  needs?: Permission;
  /** No agent can have the scope. */
  person?: boolean;
}

/** The scopes, in the service's order. */
export const scopes: readonly ScopeWords[] = [
  { value: "read", label: "Read", hint: "Look at tables, views, purchase orders and the playbook." },
  {
    value: "write",
    label: "Write",
    hint: "Draft and submit purchase order lines, propose strategies and SOPs and, for an admin, change planning figures; never approve or activate.",
    needs: "draft_lines",
  },
  { value: "failed_imports", label: "Failed imports", hint: "See refused records and retry them." },
  {
    value: "admin",
    label: "Admin",
    hint: "Make and change tables and columns of your company.",
    needs: "define_tables",
    person: true,
  },
];

/** The scopes that a token can have: an agent's, or those that the role allows a person. */
export function fittingScopes(agent: boolean, can: (permission: Permission) => boolean): ScopeWords[] {
  return scopes.filter(({ needs, person }) => (agent ? !person : !needs || can(needs)));
}

export function scopeName(scope: Scope): string {
  return scopes.find(({ value }) => value === scope)?.label ?? scope;
}
