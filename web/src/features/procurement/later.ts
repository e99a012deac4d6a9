import { shiftDay } from "@/lib/time";

/** The service puts nothing off for longer. */
export const mostDaysOff = 90;

/** Days to put a row off until, from today on. */
export function laterDays(today: string): { label: string; day: string }[] {
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay();
  return [
    { label: "Tomorrow", day: shiftDay(today, 1) },
    { label: "Next Monday", day: shiftDay(today, (8 - weekday) % 7 || 7) },
    { label: "In two weeks", day: shiftDay(today, 14) },
  ];
}
