import type { Value } from "./geometry";

export const heatLevels = 5;

/** Which of five shades a value has, from 1 for the least to 5; 0 where nothing is known. */
export function heatLevel(rows: readonly (readonly Value[])[]): (value: Value) => number {
  const known = rows.flat().filter((value) => value !== null);
  const low = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return (value) => {
    if (value === null) return 0;
    // Where all are alike there is no more and no less.
    if (low === high) return 1;
    return Math.min(heatLevels, 1 + Math.floor(((value - low) / (high - low)) * heatLevels));
  };
}
