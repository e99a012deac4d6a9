import { expect, test } from "vitest";
import { agentName, agentRun, procurementAgent } from "./agents";

const other = "0199a3c8-0000-7000-8000-000000000001";
const run = "0199a3c8-0000-7000-8000-00000000000a";

test.each([
  [procurementAgent, undefined, "Procurement agent"],
  [procurementAgent, "Procurement agent", "Procurement agent"],
  [other, "Reorder bot", "Reorder bot"],
  [other, undefined, "An agent"],
  [undefined, undefined, "An agent"],
])("the agent %s with the label %s is called %s", (id, label, name) => {
  expect(agentName(id, label)).toBe(name);
});

test("only the procurement agent's runs have a page", () => {
  expect(agentRun(procurementAgent, run)).toBe(run);
  expect(agentRun(other, run)).toBeUndefined();
  expect(agentRun(procurementAgent, "a name that a client chose")).toBeUndefined();
  expect(agentRun(procurementAgent, undefined)).toBeUndefined();
});
