export const budgets: { list: number; page: number };
export const lists: string[];
export function nameOf(chunk: string): string;
export function budgetOf(chunk: string): number;
export function firstVisits(dir: URL): { always: number; pages: Map<string, number> };
