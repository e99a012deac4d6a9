import { useNavigate } from "@tanstack/react-router";
import { type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { cx } from "@/lib/cx";
import type { Target } from "./chart";
import { nearestPoint, tipLeft } from "./geometry";
import { type Reading, readingText } from "./reading";
import type { LegendItem, Scene } from "./scene";
import { fills, Shapes, Swatch } from "./shapes";

interface PlotProps {
  title: string;
  /** The id of the chart's description. */
  describedBy: string;
  scene: Scene;
  points: readonly Reading[];
  legend: readonly LegendItem[];
  /** The page that each point leads to. */
  leads?: { label: string; to: readonly (Target | undefined)[] } | undefined;
}

/**
 * The chart and a cursor over it. The cursor is an invisible range input as large as the chart, so
 * arrow keys, Home, End and screen reader gestures work without code of ours, and screen readers
 * read its value text whenever it moves. A live region would repeat the same text.
 */
export function Plot({ title, describedBy, scene, points, legend, leads }: PlotProps) {
  const go = useNavigate();
  const [at, setAt] = useState<number>();
  const range = useRef<HTMLInputElement>(null);
  const last = points.length - 1;
  const chosen = Math.min(at ?? last, last);
  const reading = points[chosen];

  function open() {
    const to = leads?.to[chosen];
    if (to) void go(to);
  }

  function follow(event: PointerEvent<HTMLDivElement>) {
    const { left } = event.currentTarget.getBoundingClientRect();
    setAt(nearestPoint(scene.xs, event.clientX - left));
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the range input handles the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      className={cx(
        leads?.to[chosen] && at !== undefined && "cursor-pointer",
        "relative h-full touch-pan-y rounded-md has-focus-visible:outline-2 has-focus-visible:outline-accent-ink has-focus-visible:outline-offset-2",
      )}
      onPointerMove={follow}
      onPointerDown={(event) => {
        follow(event);
        // On a touch screen the cursor stays until something else is touched.
        range.current?.focus({ preventScroll: true });
      }}
      // Otherwise the browser would take the focus away again.
      onMouseDown={(event) => event.preventDefault()}
      // A finger only moves the cursor; the table has links for it.
      onClick={({ nativeEvent }) =>
        !("pointerType" in nativeEvent && nativeEvent.pointerType === "touch") && open()
      }
      onPointerLeave={() => document.activeElement !== range.current && setAt(undefined)}
    >
      <svg
        role="img"
        aria-label={title}
        aria-describedby={describedBy}
        width={scene.width}
        height={scene.height}
        className="block overflow-visible"
      >
        <Shapes shapes={scene.shapes} />
        {at !== undefined && <Cursor scene={scene} at={chosen} />}
      </svg>
      <input
        ref={range}
        type="range"
        aria-label={`Point of ${title}`}
        aria-valuetext={reading && readingText(reading)}
        min={0}
        max={last}
        value={chosen}
        onChange={(event) => setAt(Number(event.target.value))}
        onFocus={() => setAt((now) => now ?? last)}
        onBlur={() => setAt(undefined)}
        onKeyDown={(event) => {
          if (event.key === "Enter") open();
          if (event.key === "Escape" && at !== undefined) {
            setAt(undefined);
            event.stopPropagation();
          }
        }}
        className="pointer-events-none absolute inset-0 m-0 h-full w-full opacity-0"
      />
      {at !== undefined && reading && (
        <Tip
          reading={reading}
          legend={legend}
          leads={leads?.to[chosen] ? leads.label : undefined}
          x={scene.xs[chosen] ?? 0}
          width={scene.width}
        />
      )}
    </div>
  );
}

function Cursor({ scene, at }: { scene: Scene; at: number }) {
  const x = scene.xs[at] ?? 0;
  return (
    <>
      <path d={`M${Math.round(x) + 0.5},${scene.top}V${scene.bottom}`} className="stroke-muted" />
      {scene.dots(at).map(({ y, ink }, index) => (
        <circle
          // biome-ignore lint/suspicious/noArrayIndexKey: dots are redrawn together
          key={index}
          cx={x}
          cy={y}
          r={4}
          strokeWidth={1.5}
          className={cx(fills[ink], "stroke-surface")}
        />
      ))}
    </>
  );
}

interface TipProps {
  reading: Reading;
  legend: readonly LegendItem[];
  leads: string | undefined;
  x: number;
  width: number;
}

/** Shows the values beside the cursor. Screen readers read the range input's value text instead. */
function Tip({ reading, legend, leads, x, width }: TipProps) {
  const tip = useRef<HTMLDivElement>(null);
  const [left, setLeft] = useState<number>();
  // After every change, because the tip's text decides its width.
  useLayoutEffect(() => setLeft(tipLeft(x, tip.current?.getBoundingClientRect().width ?? 0, width)));
  return (
    <div
      ref={tip}
      aria-hidden
      data-chart-tip
      className="pop pointer-events-none absolute top-0 z-10 w-max max-w-52 px-2.5 py-2 text-xs"
      style={{ left }}
    >
      <p className="font-medium">{reading.at}</p>
      {reading.facts.map(({ label, text, item }) => {
        const key = item === undefined ? undefined : legend[item];
        return (
          <p key={label} className="flex items-center gap-1.5">
            {key && <Swatch item={key} />}
            <span className="text-muted">{label}</span>
            <span className="ml-auto pl-2 text-right tabular-nums">{text}</span>
          </p>
        );
      })}
      {reading.notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two orders may have one label
        <p key={index} className="text-muted">
          {note}
        </p>
      ))}
      {leads && <p className="mt-1 text-accent-ink">{leads} ↵</p>}
    </div>
  );
}
