import { describe, expect, it } from "vitest";
import { readSearch } from "./filter";
import { toQuery } from "./filter-query";

const now = Date.parse("2026-03-30T12:00:00Z");

describe("the address", () => {
  it("keeps what is understood and drops the rest", () => {
    expect(
      readSearch({
        who: "operator",
        what: "key.issued",
        about: 7,
        since: "7d",
        until: "2026-02-30",
        other: "x",
      }),
    ).toEqual({ who: "operator", what: "key.issued", about: "7", since: "7d" });
    expect(readSearch({ who: "", what: { a: 1 }, since: "yesterday", until: ["2026-03-01"] })).toEqual({});
  });

  it("becomes what the service takes", () => {
    expect(toQuery({ who: "a", what: "b.c", about: "d", since: "7d" }, "UTC", now)).toEqual({
      actor: "a",
      action: "b.c",
      subject: "d",
      since: "2026-03-23T12:00:00.000Z",
    });
    expect(toQuery({}, "UTC", now)).toEqual({});
  });

  it("means the workspace's days, the last one included, also when clocks change", () => {
    expect(toQuery({ since: "2026-03-29", until: "2026-03-29" }, "Europe/Berlin", now)).toEqual({
      since: "2026-03-28T23:00:00.000Z",
      until: "2026-03-29T22:00:00.000Z",
    });
  });
});
