import { type PointerEvent, useState } from "react";
import { type Placed, sensibleWidth } from "./layout";

type Widths = Record<string, number>;

/** Resizes columns by dragging the edge of their header; the width is stored when the pointer is released. */
export function useResize(given: Widths, onResize: (widths: Widths) => void) {
  const [drawn, setDrawn] = useState<Widths>({});

  /** Call when the pointer is pressed on a handle. */
  function draw(event: PointerEvent, { column, width }: Placed) {
    const handle = event.target as HTMLElement;
    const from = event.clientX;
    const at = (x: number) => ({ [column.name]: sensibleWidth(width + x - from) });
    const move = (moved: globalThis.PointerEvent) => setDrawn(at(moved.clientX));
    const end = (last: globalThis.PointerEvent) => {
      handle.removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"] as const) handle.removeEventListener(name, end);
      setDrawn({});
      if (last.type === "pointerup" && last.clientX !== from) onResize({ ...given, ...at(last.clientX) });
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"] as const) handle.addEventListener(name, end);
    event.preventDefault();
  }

  /** One step wider or narrower, for the keyboard. */
  function step({ column, width }: Placed, by: number) {
    onResize({ ...given, [column.name]: sensibleWidth(width + by) });
  }

  /** Resets the width to the table's default. */
  function forget({ column }: Placed) {
    const { [column.name]: _, ...others } = given;
    onResize(others);
  }

  return { widths: { ...given, ...drawn }, draw, step, forget };
}
