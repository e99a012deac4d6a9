import { describe, expect, it } from "vitest";
import { message } from "./message";

describe("a message", () => {
  const lines = message("{count, plural, one {# line} other {# lines}}");

  it.each([
    [0, "0 lines"],
    [1, "1 line"],
    [2, "2 lines"],
    [1500, "1.500 lines"],
  ])("has the page's plural and the workspace's number: %d", (count, text) => {
    expect(lines({ count }, "de-DE")).toBe(text);
  });

  it("takes an exact form before the language's", () => {
    const came = message("Came {count, plural, =0 {never} =1 {once} one {# time} other {# times}}.");
    expect([0, 1, 2].map((count) => came({ count }, "en"))).toEqual([
      "Came never.",
      "Came once.",
      "Came 2 times.",
    ]);
  });

  it("has places for several values, also within a form", () => {
    const stored = message<"done" | "total" | "order">(
      "{done} of {total, plural, one {# line} other {# lines of {order}}} stored",
    );
    expect(stored({ done: 1200, total: 1500, order: "PO-1" }, "en")).toBe(
      "1,200 of 1,500 lines of PO-1 stored",
    );
    expect(stored({ done: 1, total: 1, order: "PO-1" }, "en")).toBe("1 of 1 line stored");
  });

  it("leaves what people have written alone", () => {
    const named = message<"count" | "name">("{name}: {count, plural, one {# of {name}} other {#}}");
    expect(named({ count: 1, name: "#{count} {name}" }, "en")).toBe("#{count} {name}: 1 of #{count} {name}");
  });
});
