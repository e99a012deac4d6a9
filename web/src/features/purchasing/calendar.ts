/** The days of a month's grid, Monday first, filled up to whole weeks. */
export function monthGrid(month: string): string[] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const start = new Date(first);
  start.setUTCDate(1 - ((first.getUTCDay() + 6) % 7));
  const days: string[] = [];
  for (const day = start; days.length % 7 !== 0 || days.length === 0 || isoDay(day).slice(0, 7) <= month; ) {
    days.push(isoDay(day));
    day.setUTCDate(day.getUTCDate() + 1);
  }
  return days;
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function shiftMonth(month: string, by: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return isoDay(date).slice(0, 7);
}
