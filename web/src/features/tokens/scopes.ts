import type { Token } from "@/api/types.gen";
import type { Permission } from "@/lib/session";

export type Scope = Token["scopes"][number];

interface ScopeWords {
  value: Scope;
  label: string;
  /** What it opens, in one sentence. */
  hint: string;
  /** Without it a role can fill nothing of the scope, and the service refuses it. */
  needs?: Permission;
}

/** What a token can open, in the service's order. */
export const scopes: readonly ScopeWords[] = [
  { value: "read", label: "Read", hint: "Look at tables, views and purchase orders." },
  {
    value: "write",
    label: "Write",
    hint: "Draft and submit purchase order lines, never approve them.",
    needs: "draft_lines",
  },
  { value: "failed_imports", label: "Failed imports", hint: "See refused records and retry them." },
];

/** The scopes that a token can have: of an agent all, of a person what the role fills. */
export function fittingScopes(agent: boolean, can: (permission: Permission) => boolean): ScopeWords[] {
  return scopes.filter(({ needs }) => agent || !needs || can(needs));
}

export function scopeName(scope: Scope): string {
  return scopes.find(({ value }) => value === scope)?.label ?? scope;
}
