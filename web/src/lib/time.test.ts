import { describe, expect, it } from "vitest";
import {
  absoluteTime,
  dayIn,
  formatDay,
  relativeTime,
  shiftDay,
  startOfDay,
  widestRelativeTime,
} from "./time";

const now = new Date("2026-03-10T12:00:00Z");
const before = (seconds: number) => relativeTime(new Date(now.getTime() - seconds * 1000), now, "en");

describe("relativeTime", () => {
  it.each([
    [0, "now"],
    [44, "now"],
    [45, "1 minute ago"],
    [119, "1 minute ago"],
    [3599, "59 minutes ago"],
    [3600, "1 hour ago"],
    [86_399, "23 hours ago"],
    [86_400, "yesterday"],
    [13 * 86_400, "13 days ago"],
    [14 * 86_400, "2 weeks ago"],
    [59 * 86_400, "8 weeks ago"],
    [60 * 86_400, "2 months ago"],
    [364 * 86_400, "12 months ago"],
    [365 * 86_400, "1 year ago"],
    [-90, "in 1 minute"],
    [-86_400, "tomorrow"],
    [-34 * 86_400, "in 4 weeks"],
  ])("%i seconds before is %s", (seconds, text) => {
    expect(before(seconds)).toBe(text);
  });

  it("speaks the page's language, wherever the workspace is", () => {
    expect(relativeTime(new Date("2026-03-10T11:55:00Z"), now, "de")).toBe("5 minutes ago");
  });
});

describe("absoluteTime", () => {
  it("shows the moment in the workspace's zone and names the zone", () => {
    const text = absoluteTime(new Date("2026-03-10T23:30:05Z"), "en-GB", "Europe/Berlin");
    expect(text).toContain("11 Mar 2026");
    expect(text).toContain("00:30:05");
    expect(text).toMatch(/CET|GMT\+1/);
  });
});

describe("days", () => {
  it("are the workspace's", () => {
    expect(dayIn("Pacific/Auckland", new Date("2026-11-15T20:00:00Z"))).toBe("2026-11-16");
    expect(dayIn("Europe/Berlin", new Date("2026-03-14T23:30:00Z"))).toBe("2026-03-15");
    expect(dayIn("America/New_York", new Date("2026-03-15T01:30:00Z"))).toBe("2026-03-14");
  });
  it("begin when their zone's midnight is, on days of other lengths too", () => {
    expect(startOfDay("2026-03-29", "Europe/Berlin").toISOString()).toBe("2026-03-28T23:00:00.000Z");
    expect(startOfDay("2026-03-29", "Europe/Berlin", 1).toISOString()).toBe("2026-03-29T22:00:00.000Z");
  });
  it.each([
    // Where the clocks change between midnight in UTC and midnight there.
    ["2026-04-05", "Pacific/Auckland", "2026-04-04T11:00:00.000Z"],
    ["2026-09-27", "Pacific/Auckland", "2026-09-26T12:00:00.000Z"],
    ["2026-10-04", "Australia/Sydney", "2026-10-03T14:00:00.000Z"],
    ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
    ["2026-03-08", "America/New_York", "2026-03-08T05:00:00.000Z"],
    ["2026-03-14", "Asia/Kathmandu", "2026-03-13T18:15:00.000Z"],
    // Where clocks are put forward at midnight, and the day begins at one.
    ["2026-09-06", "America/Santiago", "2026-09-06T04:00:00.000Z"],
    ["2026-04-24", "Africa/Cairo", "2026-04-23T22:00:00.000Z"],
    // Where they are put back to midnight or to the evening before: the first midnight, and the only one.
    ["2026-11-01", "America/Havana", "2026-11-01T04:00:00.000Z"],
    ["2026-04-05", "America/Santiago", "2026-04-05T04:00:00.000Z"],
  ])("begin with the clocks of their zone: %s in %s", (day, zone, moment) => {
    const start = startOfDay(day, zone);
    expect(start.toISOString()).toBe(moment);
    expect(dayIn(zone, start)).toBe(day);
    expect(dayIn(zone, new Date(start.getTime() - 1))).not.toBe(day);
  });
  it("end where the next one begins, all through a year", () => {
    for (const zone of ["America/Santiago", "Pacific/Auckland"])
      for (let n = 0; n < 366; n++) {
        const day = new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
        const next = startOfDay(day, zone, 1);
        expect(dayIn(zone, new Date(next.getTime() - 1)), `${day} ${zone}`).toBe(day);
        expect(dayIn(zone, next), `${day} ${zone}`).toBe(shiftDay(day, 1));
      }
  });
  it("have no zone that could shift them", () => {
    expect(formatDay("2026-11-15", "en-GB")).toBe("15 Nov 2026");
    expect(formatDay("soon", "en-GB")).toBe("soon");
  });
  it.each([
    ["en-US", "Mar 14, 2026"],
    ["en", "Mar 14, 2026"],
    ["de-DE", "14 Mar 2026"],
    ["fr", "14 Mar 2026"],
    ["pt-BR", "14 Mar 2026"],
    ["ar-EG", "14 Mar 2026"],
  ])("have the page's words in the region's order: %s", (locale, text) => {
    expect(formatDay("2026-03-14", locale)).toBe(text);
  });
});

describe("widestRelativeTime", () => {
  it.each(["en", "de", "fr", "pl"])("no time within a year is longer in %s", (locale) => {
    const texts = [60, 3_600, 86_400].flatMap((size) =>
      Array.from({ length: 364 }, (_, n) => [1, -1].map((sign) => sign * (n + 0.5) * size))
        .flat()
        .map((seconds) => relativeTime(new Date(now.getTime() + seconds * 1000), now, locale)),
    );
    const longest = Math.max(...texts.map((text) => text.length));
    expect(widestRelativeTime(locale)).toHaveLength(longest);
  });
});
