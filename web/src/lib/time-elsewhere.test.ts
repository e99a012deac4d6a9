import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

// A person's computer may be in any zone. Its own zone must not shift a day, whichever side of UTC it is on.
describe.each(["America/St_Johns", "Pacific/Auckland"])("on a computer in %s", (zone) => {
  // Loaded anew: formatters are kept, and would know the zone of the first test.
  const load = async () => {
    const { isDay } = await import("./period");
    const { daysAfter } = await import("@/features/purchasing/arrival-groups");
    const { monthGrid, shiftMonth } = await import("@/features/purchasing/calendar");
    return { ...(await import("./time")), isDay, daysAfter, monthGrid, shiftMonth };
  };
  let days: Awaited<ReturnType<typeof load>>;
  beforeAll(async () => {
    vi.stubEnv("TZ", zone);
    vi.resetModules();
    days = await load();
  });
  afterAll(() => vi.unstubAllEnvs());

  it("the test has that zone", () => expect(new Date(0).getHours()).not.toBe(new Date(0).getUTCHours()));

  it("a day is shown as it is", () => {
    expect(days.formatDay("2026-03-14", "en-GB")).toBe("14 Mar 2026");
    expect(days.isDay("2026-03-14")).toBe(true);
    expect(days.isDay("2026-02-29")).toBe(false);
  });

  it("a moment is shown in the workspace's zone", () => {
    const moment = new Date("2026-03-14T23:30:00Z");
    expect(days.dayIn("Europe/Berlin", moment)).toBe("2026-03-15");
    expect(days.absoluteTime(moment, "en-GB", "Europe/Berlin")).toContain("15 Mar 2026, 00:30:00");
  });

  it("days are counted and shifted across each change of clocks", () => {
    // In March and April clocks change in St John's, Berlin and Auckland, each on its own day.
    for (let n = 0; n < 400; n++) {
      const day = days.shiftDay("2026-01-01", n);
      expect(day).toBe(new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10));
      expect(days.shiftDay(day, -n)).toBe("2026-01-01");
      expect(days.daysAfter(day, "2026-01-01")).toBe(n);
    }
  });

  it("months are whole", () => {
    for (let n = 0; n < 24; n++) {
      const month = days.shiftMonth("2026-01", n);
      const grid = days.monthGrid(month);
      const length = new Date(Date.UTC(2026, n + 1, 0)).getUTCDate();
      expect(grid.filter((day) => day.startsWith(month))).toHaveLength(length);
      expect(new Set(grid).size).toBe(grid.length);
      expect(new Date(`${grid[0]}T00:00:00Z`).getUTCDay(), month).toBe(1);
    }
  });
});
