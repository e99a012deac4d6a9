import { describe, expect, it } from "vitest";
import { groupFilter, isFiltered, readFilter, readSearch } from "./filter";
import { toQuery } from "./filter-query";

const key = "01989e6e-9ad5-7bd1-a2b4-0a6c3f1f2a3b";

describe("readSearch", () => {
  it("keeps what it knows", () => {
    const search = {
      status: "ignored",
      table: "orders",
      code: "type",
      field: "none",
      key,
      since: "24h",
      until: "2026-03-14",
      text: "€ 12",
      open: key,
    };
    expect(readSearch(search)).toEqual(search);
  });
  it("drops what it does not understand", () => {
    expect(
      readSearch({
        status: "lost",
        key: "x",
        since: "soon",
        until: "2026-02-30",
        open: 7,
        table: "",
        other: "x",
        text: ["a"],
      }),
    ).toEqual({});
    expect(readSearch({ status: "open" })).toEqual({});
  });
  it("takes numbers for the text they were typed as", () => {
    expect(readFilter({ text: 9001, table: true })).toEqual({ text: "9001" });
  });
  it("knows when nothing is filtered", () => {
    expect(isFiltered(readSearch({ status: "ignored", open: key }))).toBe(false);
    expect(isFiltered(readSearch({ since: "7d" }))).toBe(true);
  });
});

describe("toQuery", () => {
  const now = Date.parse("2026-03-29T12:00:00Z");
  it("counts spans back from now", () => {
    expect(toQuery({ since: "24h", table: "orders" }, "Europe/Berlin", now)).toEqual({
      table: "orders",
      since: "2026-03-28T12:00:00.000Z",
    });
  });
  it("means whole days in the workspace's zone, also where the clocks change", () => {
    const days = { since: "2026-03-28", until: "2026-03-29" };
    expect(toQuery(days, "Europe/Berlin", now)).toEqual({
      since: "2026-03-27T23:00:00.000Z",
      until: "2026-03-29T22:00:00.000Z",
    });
    expect(toQuery(days, "America/New_York", now).since).toBe("2026-03-28T04:00:00.000Z");
    expect(toQuery({ until: "2026-12-31" }, "UTC", now)).toEqual({ until: "2027-01-01T00:00:00.000Z" });
  });
  it("leaves the address's own parts out", () => {
    expect(toQuery(readSearch({ status: "resolved", open: key }), "UTC", now)).toEqual({});
  });
});

it("a group without a field is asked for as such", () => {
  expect(groupFilter({ slug: "orders", code: "fault", field: "" })).toEqual({
    table: "orders",
    code: "fault",
    field: "none",
  });
});
