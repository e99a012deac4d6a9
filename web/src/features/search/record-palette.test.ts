import { describe, expect, it, vi } from "vitest";
import type { Hit } from "@/api/types.gen";
import { foundIn, target } from "./record-palette";

const hit = (some: Partial<Hit>): Hit => ({
  kind: "product",
  id: "1",
  table: "products",
  label: "Tea",
  ...some,
});
const answer = (items: Hit[], more = false) => ({ data: { items, more }, isOld: false });
const nowhere = () => {};

describe("what the palette finds", () => {
  it("stands in the service's order, and opens its record", () => {
    const open = vi.fn();
    const items = [hit({ id: "2", label: "Zither" }), hit({ kind: "supplier", label: "Abacus" })];
    const { commands } = foundIn("x", answer(items), open);
    expect(commands.map(({ label, group }) => `${group}: ${label}`)).toEqual([
      "Products: Zither",
      "Suppliers: Abacus",
    ]);
    commands[1]?.run();
    expect(open).toHaveBeenCalledWith(items[1]);
  });

  it("says that there is more if the service says so, and only then", () => {
    const many = Array.from({ length: 20 }, (_, n) => hit({ id: String(n) }));
    expect(foundIn("x", answer(many, true), nowhere).more).toBe(true);
    expect(foundIn("x", answer(many, false), nowhere).more).toBe(false);
    expect(foundIn("x", answer([], true), nowhere).more, "a search that was cut off").toBe(true);
  });

  it("is loading while it answers an earlier text, which stays visible", () => {
    const found = foundIn("tea", { ...answer([hit({})]), isOld: true }, nowhere);
    expect(found.loading).toBe(true);
    expect(found.commands).toHaveLength(1);
    expect(foundIn("tea", { data: undefined, isOld: true }, nowhere)).toEqual({
      commands: [],
      loading: true,
      more: false,
    });
  });

  it("is nothing without a text, whatever was found before", () => {
    const before = { ...answer([hit({})], true), isOld: true };
    expect(foundIn("", before, nowhere)).toEqual({ commands: [], loading: false, more: false });
  });

  it("has ids of its own, also where two tables have the same record id", () => {
    const items = [
      hit({ kind: "order", table: "orders", id: "a b" }),
      hit({ kind: "table", table: "orders", id: "a b" }),
      hit({ kind: "order", table: "other", id: "a b" }),
    ];
    const ids = foundIn("x", answer(items), nowhere).commands.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.join("")).not.toMatch(/\s/);
  });

  it("shows a code only beside another label", () => {
    const items = [hit({ code: "Tea" }), hit({ code: "T-1", detail: "green" })];
    expect(foundIn("x", answer(items), nowhere).commands.map(({ code, detail }) => [code, detail])).toEqual([
      [undefined, undefined],
      ["T-1", "green"],
    ]);
  });
});

describe("a hit leads", () => {
  const workspace = "w";
  it.each([
    ["to its order", { kind: "purchase_order", id: "PO-1" }, { params: { workspace, order: "PO-1" } }],
    ["to the open failure", { kind: "failed_import", id: "f" }, { search: { open: "f" } }],
    [
      "to its record in the table",
      { kind: "order", id: "o", table: "orders" },
      { params: { workspace, slug: "orders" }, search: { record: "o" } },
    ],
    [
      "to the table with the view",
      { kind: "view", id: "v", table: "products" },
      { params: { workspace, slug: "products" }, search: { view: "v" } },
    ],
  ] as const)("%s", (_, some, expected) => {
    expect(target(workspace, hit(some))).toMatchObject(expected);
  });
});
