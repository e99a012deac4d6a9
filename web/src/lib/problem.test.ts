import { describe, expect, it } from "vitest";
import { ApiError, toApiError, unreachable } from "./problem";

describe("what was thrown", () => {
  it.each([
    ["a TypeError", new TypeError("Cannot read properties of undefined (reading 'map')")],
    ["a RangeError", new RangeError("x is no decimal")],
    ["a text", "no such thing"],
    ["nothing", undefined],
  ])("is the page's own fault when it is no answer: %s", (_, cause) => {
    const error = toApiError(cause);
    expect(error).toMatchObject({ code: "page_fault", title: "This page has an error" });
    expect(error.message).not.toMatch(/answer/i);
    expect(error.fix).toMatch(/^Reload/);
    expect(error.details).toBe(String(cause));
    expect(error.cause).toBe(cause);
    expect(error.status).not.toBe(0);
  });

  it("stays what it was when it is known", () => {
    const refusal = new ApiError({ code: "stale" }, 412);
    expect(toApiError(refusal)).toBe(refusal);
    const lost = unreachable(new TypeError("Failed to fetch"));
    expect(toApiError(lost)).toBe(lost);
    expect(lost).toMatchObject({ status: 0, message: "The server did not answer.", details: undefined });
  });
});
