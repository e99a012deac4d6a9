import { expect, it } from "vitest";
import type { Permission } from "@/lib/session";
import { fittingScopes } from "./scopes";

const fitting = (agent: boolean, ...held: Permission[]) =>
  fittingScopes(agent, (permission) => held.includes(permission)).map(({ value }) => value);

it("offers a person what their role fills", () => {
  expect(fitting(false, "read")).toEqual(["read", "failed_imports"]);
  expect(fitting(false, "read", "approve_lines")).toEqual(["read", "failed_imports"]);
  expect(fitting(false, "read", "draft_lines")).toEqual(["read", "write", "failed_imports"]);
});

it("offers a Company-Admin the scope that defines tables", () => {
  expect(fitting(false, "define_tables")).toContain("admin");
});

it("offers an agent all that agents can have: its role is not that of who makes the token", () => {
  expect(fitting(true, "read", "manage_tokens", "define_tables")).toEqual([
    "read",
    "write",
    "failed_imports",
  ]);
});
