import { expect, test } from "vitest";
import { addressesIn, mailState, newReceivers } from "./sent-words";

test("finds addresses however they are separated", () => {
  expect(addressesIn(" a@x.example, b@x.example;c@x.example\n")).toEqual([
    "a@x.example",
    "b@x.example",
    "c@x.example",
  ]);
  expect(addressesIn("  ")).toEqual([]);
});

test("finds what is typed and not allowed yet", () => {
  const mail = {
    to: ["Orders@tea.example"],
    receivers: [{ address: "sales@tea.example", at: "2027-01-01T00:00:00Z", by_type: "user" }],
  };
  const typed = [
    "orders@tea.example",
    "Sales@tea.example",
    "new@tea.example",
    "NEW@tea.example",
    "half@",
    "no",
  ];
  expect(newReceivers(mail, typed)).toEqual(["new@tea.example"]);
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
