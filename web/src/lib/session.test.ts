import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Person } from "@/api/types.gen";
import { findPlace, homeWorkspace } from "./session";

const company = (id: string, permissions: string[], ...workspaces: string[]) => ({
  id,
  permissions,
  workspaces: workspaces.map((workspace) => ({ id: workspace })),
});

// An admin of one company, and a viewer of another.
const ada = {
  id: "ada",
  tenants: [
    company("own", ["read", "approve_lines"], "shop", "depot"),
    company("other", ["read"], "guest"),
    company("empty", ["read"]),
  ],
} as unknown as Person;

let last: string | null;
beforeEach(() => vi.stubGlobal("localStorage", { getItem: () => last }));
afterEach(() => vi.unstubAllGlobals());

test("a person may do what the company of the workspace allows, and nothing of another company", () => {
  const may = (workspace: string) =>
    (["read", "approve_lines", "manage_keys"] as const).filter((one) => findPlace(ada, workspace)?.can(one));
  expect(may("shop")).toEqual(["read", "approve_lines"]);
  expect(may("depot")).toEqual(["read", "approve_lines"]);
  expect(may("guest")).toEqual(["read"]);
  expect(findPlace(ada, "guest")?.company.id).toBe("other");
  expect(findPlace(ada, "somebody-elses")).toBeUndefined();
});

test("the last workspace opens again, unless the person has lost it", () => {
  last = "guest";
  expect(homeWorkspace(ada)).toBe("guest");
  last = "gone";
  expect(homeWorkspace(ada)).toBe("shop");
  last = null;
  expect(homeWorkspace(ada)).toBe("shop");
  expect(homeWorkspace({ ...ada, tenants: [] })).toBeUndefined();
});
