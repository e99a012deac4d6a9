import { expect, test } from "vitest";
import { mailto, tel } from "./reach";

test("texts survive an address", () => {
  const address = mailto(" tea+1@example.com", "A & B?", "Grüße\n100 % = all");
  expect(address).toBe(
    "mailto:tea%2B1@example.com?subject=A%20%26%20B%3F&body=Gr%C3%BC%C3%9Fe%0D%0A100%20%25%20%3D%20all",
  );
  const { searchParams } = new URL(address);
  expect(searchParams.get("body")).toBe("Grüße\r\n100 % = all");
  expect(tel("+49 (0) 30 / 12-34")).toBe("tel:+49301234");
  expect(tel("(030) 1234")).toBe("tel:0301234");
});

test("an address from elsewhere adds no receiver", () => {
  expect(mailto("a@example.com?bcc=b@example.com")).toBe("mailto:a@example.com%3Fbcc%3Db@example.com");
  expect(mailto("a@example.com,b@example.com")).toBe("mailto:a@example.com%2Cb@example.com");
  expect(mailto(["a@example.com", " b@example.com"])).toBe("mailto:a@example.com,b@example.com");
});
