import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

function tokens(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf("}", start));
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, k, v]) => [k, v]));
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ["canvas", "surface", "raised", "sunken", "hover"];
const text: [string, string[]][] = [
  ["ink", [...grounds, "accent-soft", "warn-soft", "bad-soft"]],
  ["ink", ["heat-1", "heat-2", "heat-3", "heat-4", "heat-5"]],
  ["muted", [...grounds, "accent-soft"]],
  ["subtle", [...grounds, "accent-soft"]],
  ["accent-ink", ["canvas", "surface", "raised", "sunken", "accent-soft"]],
  ["good-ink", ["surface", "raised", "good-soft"]],
  ["warn-ink", ["surface", "raised", "warn-soft"]],
  ["bad-ink", ["surface", "raised", "bad-soft"]],
  ["on-accent", ["accent", "accent-hover"]],
  ["on-bad", ["bad", "bad-hover"]],
];
// WCAG 1.4.11: colours that show a control's extent or state, or carry meaning in a chart.
const shapes: [string, string[]][] = [
  ["edge", ["canvas", "surface", "raised"]],
  ["accent", ["surface", "raised"]],
  ["accent-ink", ["canvas", "surface", "raised"]],
  ["bad", ["surface", "raised"]],
  ["good", ["surface", "raised"]],
  ...["series-1", "series-2", "series-3", "series-4"].map((one): [string, string[]] => [
    one,
    ["surface", "raised"],
  ]),
];

describe.each([
  ["light", ":root"],
  ["dark", ':root[data-theme="dark"]'],
])("%s theme", (_, selector) => {
  const set = tokens(selector);
  const pairs = (list: [string, string[]][], least: number) =>
    list.flatMap(([front, backs]) => backs.map((back) => [front, back, least] as const));

  it.each([...pairs(text, 4.5), ...pairs(shapes, 3)])("%s on %s has at least %d:1", (front, back, least) => {
    const [a, b] = [set[front], set[back]];
    if (!a || !b) throw new Error(`no token ${a ? back : front}`);
    expect(contrast(a, b)).toBeGreaterThanOrEqual(least);
  });
});
