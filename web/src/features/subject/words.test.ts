import { expect, test } from "vitest";
import type { Actor } from "@/api/types.gen";
import { procurementAgent } from "@/lib/agents";
import { who } from "./words";

test.each<[Actor | undefined, string]>([
  [{ type: "agent", id: procurementAgent, name: "Procurement agent" }, "Procurement agent"],
  [{ type: "agent", id: "a", name: "Reorder" }, "Reorder"],
  [{ type: "agent", id: "a" }, "an agent"],
  [{ type: "user", id: "u", name: "Ada Brandt" }, "Ada Brandt"],
  [{ type: "user", id: "u" }, "a former member"],
  [{ type: "sync", id: "c", name: "Katana sync" }, "Katana sync"],
  [{ type: "sync", id: "c" }, "a sync"],
  [{ type: "system" }, "Quayside"],
  [undefined, "an external system"],
])("%o is called %s", (by, name) => {
  expect(who(by)).toBe(name);
});
