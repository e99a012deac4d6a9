/** The id of the procurement agent, which is a part of the service and the same in every company. */
export const procurementAgent = "00000000-0000-4000-8000-0000000000a1";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Names an agent. `name` is the label of its token, where the service sends it. */
export function agentName(id: string | undefined, name?: string, unknown = "An agent"): string {
  return id === procurementAgent ? "Procurement agent" : name || unknown;
}

/** The run in which the procurement agent acted. Runs of other agents have no page. */
export function agentRun(id: string | undefined, run: unknown): string | undefined {
  return id === procurementAgent && typeof run === "string" && uuid.test(run) ? run : undefined;
}
