import type { Mark } from "@/ui/chart";

// Fixed days and numbers: two runs of the screenshots must be comparable.
const first = Date.UTC(2026, 7, 3);

export function daysFrom(start: number, count: number, step = 1): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(first + (start + index * step) * 86_400_000).toISOString().slice(0, 10),
  );
}

const wave = (index: number, seed: number) =>
  Math.round(120 + 45 * Math.sin(index / 3.1) + 22 * Math.sin(index * 1.7 + seed) + index * 2);

export const weeks = daysFrom(0, 26, 7);
const known = 18;

/** Two gaps without a value, with a single value between them. */
export const sold = weeks.map((_, index) =>
  index >= known || index === 6 || index === 8 ? null : wave(index, 1),
);
export const lastYear = weeks.map((_, index) => Math.round(wave(index, 4) * 0.8));
export const forecast = weeks.map((_, index) => (index < known - 1 ? null : wave(index, 1)));
export const band = {
  label: "80 % interval",
  low: forecast.map((value, index) => (value === null ? null : value - (index - known + 2) * 7)),
  high: forecast.map((value, index) => (value === null ? null : value + (index - known + 2) * 9)),
};
export const demandMarks: Mark[] = [
  { at: weeks[6] ?? "", label: "Out of stock", kind: "out" },
  { at: daysFrom(7 * 20 + 3, 1)[0] ?? "", label: "PO-2240 arrives", kind: "arrival" },
];

export const stockDays = daysFrom(98, 60);
export const stockLeft = stockDays.map(
  (_, day) => 180 - day * 6 + (day >= 21 ? 120 : 0) + (day >= 52 ? 160 : 0),
);
export const arrivals = [
  { day: stockDays[21] ?? "", quantity: 120, label: "PO-2240" },
  { day: stockDays[52] ?? "", quantity: 160, label: "PO-2251" },
];

export const families = [
  "Shirts",
  "Trousers",
  "Knitwear",
  "Shoes",
  "Accessories and small leather goods",
  "Outerwear",
];
export const revenue = [48_200, 31_750, 22_980, 64_120, 9_450, -2_300];
export const revenueBefore = [44_100, 35_020, 19_300, 58_700, null, 12_400];

export const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
export const season = families.map((label, row) => ({
  label,
  values: months.map((_, month) =>
    row === 5 && month === 6 ? null : Math.round(700 + 600 * Math.sin((month + row * 2.3) / 1.9)),
  ),
}));

/** A value for every day of more than two years. */
export const longDays = daysFrom(0, 800);
export const long = longDays.map(
  (_, index) => 20_000 + Math.round(9_000 * Math.sin(index / 58)) + (index % 7) * 300,
);
