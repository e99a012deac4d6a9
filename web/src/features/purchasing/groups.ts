/** What is to arrive, by its day; the service counts the same groups. */
export const groups = ["late", "today", "soon", "later", "undated"] as const;

export type Group = (typeof groups)[number];

export const groupNames: Record<Group, string> = {
  late: "Late",
  today: "Today",
  soon: "Next 7 days",
  later: "Later",
  undated: "No date",
};

export function isGroup(value: unknown): value is Group {
  return groups.includes(value as Group);
}
