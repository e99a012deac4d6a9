import { memo } from "react";
import { cx } from "@/lib/cx";
import { fontSize, type Ink, type LegendItem, type Shape } from "./scene";

// Written out in full, so that Tailwind finds the classes.
const strokes: Record<Ink, string> = {
  "series-1": "stroke-series-1",
  "series-2": "stroke-series-2",
  "series-3": "stroke-series-3",
  "series-4": "stroke-series-4",
  ink: "stroke-ink",
  muted: "stroke-muted",
  subtle: "stroke-subtle",
  line: "stroke-line",
  edge: "stroke-edge",
  surface: "stroke-surface",
  "good-ink": "stroke-good-ink",
  "warn-ink": "stroke-warn-ink",
  "bad-ink": "stroke-bad-ink",
  "heat-1": "stroke-heat-1",
  "heat-2": "stroke-heat-2",
  "heat-3": "stroke-heat-3",
  "heat-4": "stroke-heat-4",
  "heat-5": "stroke-heat-5",
};

export const fills: Record<Ink, string> = {
  "series-1": "fill-series-1",
  "series-2": "fill-series-2",
  "series-3": "fill-series-3",
  "series-4": "fill-series-4",
  ink: "fill-ink",
  muted: "fill-muted",
  subtle: "fill-subtle",
  line: "fill-line",
  edge: "fill-edge",
  surface: "fill-surface",
  "good-ink": "fill-good-ink",
  "warn-ink": "fill-warn-ink",
  "bad-ink": "fill-bad-ink",
  "heat-1": "fill-heat-1",
  "heat-2": "fill-heat-2",
  "heat-3": "fill-heat-3",
  "heat-4": "fill-heat-4",
  "heat-5": "fill-heat-5",
};

/** A list of shapes as SVG. Memoised: it does not render again while only the cursor moves. */
export const Shapes = memo(function Shapes({ shapes }: { shapes: readonly Shape[] }) {
  return shapes.map((shape, index) =>
    shape.kind === "text" ? (
      <text
        // biome-ignore lint/suspicious/noArrayIndexKey: shapes are redrawn together
        key={index}
        x={shape.x}
        y={shape.y}
        textAnchor={shape.anchor}
        fontSize={fontSize}
        className={cx(
          fills[shape.ink],
          "tabular-nums",
          shape.rim && "stroke-3 stroke-surface [paint-order:stroke]",
        )}
      >
        {shape.text}
      </text>
    ) : (
      <path
        // biome-ignore lint/suspicious/noArrayIndexKey: shapes are redrawn together
        key={index}
        d={shape.d}
        strokeWidth={shape.width}
        strokeDasharray={shape.dash}
        strokeLinecap="round"
        strokeLinejoin="round"
        opacity={shape.opacity}
        className={cx(
          shape.stroke ? strokes[shape.stroke] : "stroke-none",
          shape.fill ? fills[shape.fill] : "fill-none",
        )}
      />
    ),
  );
});

export function Swatch({ item }: { item: LegendItem }) {
  return (
    <svg aria-hidden width={20} height={10} viewBox="0 0 20 10" className="shrink-0 overflow-visible">
      <Shapes shapes={item.shapes} />
    </svg>
  );
}
