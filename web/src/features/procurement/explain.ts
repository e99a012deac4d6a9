import { keepPreviousData } from "@tanstack/react-query";
import { explainRecommendation } from "@/api/sdk.gen";

/** What to assume instead of what is known. Absent: as it is. */
export interface Assumptions {
  lead_time_days?: number;
  service_level?: number;
  cover_days?: number;
  demand_pct?: number;
}

/** How the suggestion for an article comes about, with these assumptions beside it. */
export function explainQuery(workspace: string, product_id: string, assumed: Assumptions = {}) {
  return {
    queryKey: [{ _id: "explainRecommendation", workspace, product_id, ...assumed }],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const body = { product_id, ...assumed };
      return (await explainRecommendation({ path: { workspace }, body, signal, throwOnError: true })).data;
    },
    // The chart stays while another assumption is computed.
    placeholderData: keepPreviousData,
  };
}

/** The fields of assumptions, as typed. */
export interface Typed {
  lead: string;
  chance: string;
  cover: string;
  demand: string;
}

export const nothingTyped: Typed = { lead: "", chance: "", cover: "", demand: "" };

/** Reads the fields; what is empty, not a number or out of the service's bounds is left as it is. */
export function readAssumptions({ lead, chance, cover, demand }: Typed): Assumptions {
  const within = (text: string, least: number, most: number) => {
    const value = Number(text.trim().replace(",", "."));
    return text.trim() !== "" && value >= least && value <= most ? value : undefined;
  };
  const days = (text: string) => {
    const value = within(text, 0, 365);
    return value === undefined ? undefined : Math.round(value);
  };
  const percent = within(chance, 50, 99.9);
  const read = {
    lead_time_days: days(lead),
    service_level: percent === undefined ? undefined : Math.round(percent * 10) / 1000,
    cover_days: days(cover),
    demand_pct: within(demand, -100, 1000),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}
