import type { ColumnReading } from "@/api/types.gen";
import { dateFormat } from "@/lib/time";

const small = [
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(
    " ",
  ),
  ..."sixteen seventeen eighteen nineteen".split(" "),
];
const tens = " ten twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const steps = [
  [1_000_000_000, "billion"],
  [1_000_000, "million"],
  [1_000, "thousand"],
  [100, "hundred"],
] as const;

function whole(count: number): string {
  if (count < 20) return small[count] ?? "";
  for (const [size, name] of steps) {
    if (count < size) continue;
    const rest = count % size;
    return `${whole(Math.floor(count / size))} ${name}${rest > 0 ? ` ${whole(rest)}` : ""}`;
  }
  const rest = count % 10;
  return `${tens[Math.floor(count / 10)]}${rest > 0 ? `-${small[rest]}` : ""}`;
}

/** A number in words, because its digits with their marks are what is in question: "one point two four". */
export function numberWords(number: string): string {
  const [, sign, units = "", digits = ""] = /^(-?)(\d+)(?:\.(\d*?)0*)?$/.exec(number) ?? [];
  if (units === "" || units.length > 12) return number;
  const after = [...digits].map((digit) => small[Number(digit)]).join(" ");
  return `${sign ? "minus " : ""}${whole(Number(units))}${after ? ` point ${after}` : ""}`;
}

/** What a value means, in words. Days have the name of their month. */
export function meaning(kind: ColumnReading["kind"], is: string, locale: string): string {
  if (kind === "number") return numberWords(is);
  const day = new Date(`${is.slice(0, 10)}T00:00:00Z`);
  return dateFormat(locale, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }).format(day);
}
