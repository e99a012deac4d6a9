import type { CsvCell } from "@/lib/csv";
import { type ChartData, keysOf, type Mark, marksOf } from "./data";
import { isDays } from "./frame";
import { dayNumber, nearestPoint } from "./geometry";
import { type LegendItem, type MarkKind, markShape, seriesLook } from "./scene";
import type { Words } from "./words";

export interface Fact {
  label: string;
  text: string;
  /** The index of its legend item. */
  item?: number;
}

/** The values of a chart at one point, as text. */
export interface Reading {
  /** The day or name. */
  at: string;
  facts: Fact[];
  notes: string[];
}

export const nothing = "none";

/** A chart's points as text, for the cursor, the table and screen readers. */
export function readings(data: ChartData, words: Words): Reading[] {
  const { across, series, band } = data;
  const notes = notesByPoint(data);
  return keysOf(across).map((key, index) => {
    const facts: Fact[] = series.map(({ label, values }, item) => ({
      label,
      text: wordsFor(values[index], words),
      item,
    }));
    if (band) {
      const [low, high] = [band.low[index] ?? null, band.high[index] ?? null];
      const text = low === null || high === null ? nothing : `${words.value(low)} to ${words.value(high)}`;
      facts.push({ label: band.label, text, item: series.length });
    }
    return {
      at: isDays(across) ? words.day(dayNumber(key)) : key,
      facts,
      notes: (notes.get(index) ?? []).map((mark) =>
        isDays(across) && mark.at !== key ? `${mark.label} (${words.date(dayNumber(mark.at))})` : mark.label,
      ),
    };
  });
}

function wordsFor(value: number | null | undefined, words: Words): string {
  return value === null || value === undefined ? nothing : words.value(value);
}

/** A mark between two points belongs to the nearer one. */
function notesByPoint(data: ChartData): Map<number, Mark[]> {
  const { across } = data;
  const keys = keysOf(across);
  const days = isDays(across) ? across.days.map(dayNumber) : [];
  const notes = new Map<number, Mark[]>();
  for (const mark of marksOf(data)) {
    const index = isDays(across) ? nearestPoint(days, dayNumber(mark.at)) : keys.indexOf(mark.at);
    notes.set(index, [...(notes.get(index) ?? []), mark]);
  }
  return notes;
}

export function readingText({ at, facts, notes }: Reading): string {
  return `${at}: ${[...facts.map(({ label, text }) => `${label} ${text}`), ...notes].join(", ")}`;
}

/** The chart's data with unformatted numbers, for spreadsheets. */
export function csvRows(data: ChartData): CsvCell[][] {
  const { across, series, band, rule } = data;
  const notes = notesByPoint(data);
  const head = [across.label, ...series.map(({ label }) => label)];
  if (band) head.push(`${band.label}, low`, `${band.label}, high`);
  if (rule) head.push(rule.label);
  if (notes.size > 0) head.push("Notes");
  const rows = keysOf(across).map((key, index) => {
    const row: CsvCell[] = [key, ...series.map(({ values }) => values[index] ?? null)];
    if (band) row.push(band.low[index] ?? null, band.high[index] ?? null);
    if (rule) row.push(rule.value);
    if (notes.size > 0) row.push((notes.get(index) ?? []).map(({ label }) => label).join(", "));
    return row;
  });
  return [head, ...rows];
}

/** One sentence per line: its lowest, highest and last value; with only one line, also the days. */
export function summarise(data: ChartData, words: Words): string {
  const { across, series, rule } = data;
  const marks = marksOf(data);
  const keys = keysOf(across);
  const name = (index: number) => {
    const key = keys[index] ?? "";
    return isDays(across) ? words.date(dayNumber(key)) : key;
  };
  const sentences = series.flatMap(({ label, values }) => {
    const known = values.flatMap((value, index) => (value === null ? [] : [{ value, index }]));
    const last = known.at(-1);
    if (!last) return [`${label}: no values.`];
    if (known.length === 1) return [`${label}: ${words.value(last.value)}, ${name(last.index)} only.`];
    const low = known.reduce((a, b) => (b.value < a.value ? b : a));
    const high = known.reduce((a, b) => (b.value > a.value ? b : a));
    const ends = [low, high].map(
      (end) => words.value(end.value) + (series.length > 1 ? "" : ` (${name(end.index)})`),
    );
    return [`${label}: ${ends.join(" to ")}${isDays(across) ? `, last ${words.value(last.value)}` : ""}.`];
  });
  if (rule) sentences.push(`${rule.label}: ${words.value(rule.value)}.`);
  if (marks.length > 0 && marks.length <= 4)
    sentences.push(
      `${marks.map((mark) => `${mark.label} (${isDays(across) ? words.date(dayNumber(mark.at)) : mark.at})`).join(", ")}.`,
    );
  else if (marks.length > 0) sentences.push(`${marks.length} marks.`);
  return sentences.join(" ");
}

const markNames: Record<MarkKind, string> = { arrival: "Arrival", out: "Out of stock", note: "Note" };

export function legendOf(data: ChartData, bars: boolean): LegendItem[] {
  const { series, band, rule } = data;
  const marks = marksOf(data);
  const items: LegendItem[] = series.map(({ label }, index) => {
    const { ink, dash, fill } = seriesLook(index);
    if (!bars)
      return {
        label,
        shapes: [{ kind: "path", d: "M0,5H20", stroke: ink, width: 2, ...(dash ? { dash } : {}) }],
      };
    const d = "M5.75,0.75h8.5v8.5h-8.5Z";
    return {
      label,
      shapes: [
        { kind: "path", d, fill: ink, opacity: fill },
        { kind: "path", d, stroke: ink, width: 1.5 },
      ],
    };
  });
  if (band)
    items.push({
      label: band.label,
      shapes: [
        { kind: "path", d: "M0,0.5h20v9h-20Z", fill: "series-1", opacity: 0.16 },
        { kind: "path", d: "M0,0.5h20M0,9.5h20", stroke: "series-1", dash: "1 3" },
      ],
    });
  if (rule)
    items.push({
      label: rule.label,
      shapes: [{ kind: "path", d: "M0,5H20", stroke: "warn-ink", dash: "6 4" }],
    });
  for (const kind of ["arrival", "out", "note"] as const)
    if (marks.some((mark) => mark.kind === kind))
      items.push({ label: markNames[kind], shapes: [markShape(kind, 10, kind === "arrival" ? 6 : 5)] });
  return items;
}
