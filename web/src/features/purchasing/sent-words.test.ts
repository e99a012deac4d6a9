import { expect, test } from "vitest";
import { addressesIn, mailState } from "./sent-words";

test("finds addresses however they are separated", () => {
  expect(addressesIn(" a@x.example, b@x.example;c@x.example\n")).toEqual([
    "a@x.example",
    "b@x.example",
    "c@x.example",
  ]);
  expect(addressesIn("  ")).toEqual([]);
});

test("says what is known of a mail, and no more", () => {
  const to = ["orders@tea.example"];
  expect(mailState({ state: "sent", to }).told).toBe("sent the order to orders@tea.example");
  expect(mailState({ state: "by_hand", to: [] }).told).toBe("sent the order by hand");
  expect(mailState({ state: "queued", to, reason: "Away." })).toMatchObject({
    note: "Away. It is tried again.",
    ended: false,
  });
  expect(mailState({ state: "failed", to, reason: "Refused." })).toMatchObject({
    note: "Refused.",
    tone: "danger",
  });
  expect(mailState({ state: "unknown", to, reason: "Broken." })).toMatchObject({
    told: "perhaps sent the order to orders@tea.example",
    note: "Broken. Ask the supplier before you send it again.",
  });
});
