/** A cell of the grid. Row -1 is the header. */
export interface Cell {
  row: number;
  column: number;
}

interface Extent {
  /** The number of loaded rows. */
  rows: number;
  columns: number;
  /** The number of rows that fit on the screen. */
  page: number;
}

/**
 * The cell that a key moves to, by WAI-ARIA's grid pattern: Home and End stay in the row; with Ctrl
 * they go to the first and the last row. undefined for keys that do not move.
 */
export function move(
  at: Cell,
  key: string,
  ctrl: boolean,
  { rows, columns, page }: Extent,
): Cell | undefined {
  const to = (row: number, column: number): Cell => ({
    row: Math.max(-1, Math.min(rows - 1, row)),
    column: Math.max(0, Math.min(columns - 1, column)),
  });
  switch (key) {
    case "ArrowUp":
      return to(ctrl ? Math.min(0, at.row) : at.row - 1, at.column);
    case "ArrowDown":
      return to(ctrl ? rows - 1 : at.row + 1, at.column);
    case "ArrowLeft":
      return to(at.row, ctrl ? 0 : at.column - 1);
    case "ArrowRight":
      return to(at.row, ctrl ? columns - 1 : at.column + 1);
    case "Home":
      return ctrl ? to(0, 0) : to(at.row, 0);
    case "End":
      return ctrl ? to(rows - 1, columns - 1) : to(at.row, columns - 1);
    case "PageUp":
      return to(Math.max(Math.min(0, at.row), at.row - page), at.column);
    case "PageDown":
      return to(at.row + page, at.column);
    default:
      return undefined;
  }
}
