import type { Value } from "./geometry";

export const heatLevels = 5;

/** The shade of a value, from 1 for the lowest to 5 for the highest; 0 if unknown. */
export function heatLevel(rows: readonly (readonly Value[])[]): (value: Value) => number {
  const known = rows.flat().filter((value) => value !== null);
  const low = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return (value) => {
    if (value === null) return 0;
    // If all values are equal, all get the lightest shade.
    if (low === high) return 1;
    return Math.min(heatLevels, 1 + Math.floor(((value - low) / (high - low)) * heatLevels));
  };
}
