import type { Workspace } from "@/api/types.gen";

export type Weekday = Workspace["week_start"];

export const weekdayNames: Record<Weekday, string> = {
  monday: "Monday",
  tuesday: "Tuesday",
  wednesday: "Wednesday",
  thursday: "Thursday",
  friday: "Friday",
  saturday: "Saturday",
  sunday: "Sunday",
};

export const weekdays = Object.keys(weekdayNames) as Weekday[];

export const weekdayOptions = weekdays.map((value) => ({ value, label: weekdayNames[value] }));
