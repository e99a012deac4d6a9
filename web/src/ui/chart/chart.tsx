import type { LinkProps } from "@tanstack/react-router";
import { Download, Image, Table2 } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { toCsv } from "@/lib/csv";
import { cx } from "@/lib/cx";
import { fileName, saveFile } from "@/lib/save-file";
import { Button } from "../button";
import { toast } from "../toast";
import { type ChartData, keysOf } from "./data";
import type { Size } from "./frame";
import { hasValues } from "./geometry";
import { paint, pictureOf } from "./paint";
import { Plot } from "./plot";
import { csvRows, legendOf, readings, summarise } from "./reading";
import { ReadingTable } from "./reading-table";
import type { Scene } from "./scene";
import { Swatch } from "./shapes";
import { useWidth } from "./use-width";
import type { Words } from "./words";

export interface ChartFrameProps {
  /** Names the chart and its files. */
  title: string;
  /** Describes the chart; the default is the range and the last value of every line. */
  summary?: string | undefined;
  height?: number;
  /** Shows only the plot and its description, for popovers and rows. */
  plain?: boolean;
  /** Where a point leads: to the rows that it was made from. */
  leads?: Leads | undefined;
  className?: string;
}

export type Target = Pick<LinkProps, "to" | "params" | "search">;

export interface Leads {
  /** For example "Orders of this week". */
  label: string;
  /** The page for a day or name; undefined if there is none. */
  to: (key: string) => Target | undefined;
}

interface ChartProps extends ChartFrameProps {
  data: ChartData;
  words: Words;
  bars?: boolean;
  scene: (size: Size) => Scene;
}

export const defaultHeight = 220;

/** The common part of all charts: title, description, legend, cursor, table and files. */
export function Chart(props: ChartProps) {
  const { title, data, words, scene, bars = false, height = defaultHeight, plain, leads, className } = props;
  const id = useId();
  const [box, width] = useWidth<HTMLDivElement>();
  const [asTable, setAsTable] = useState(false);
  const empty = keysOf(data.across).length === 0 || !data.series.some(({ values }) => hasValues(values));
  const legend = empty ? [] : legendOf(data, bars);
  const summary = empty ? "There are no values for this period." : (props.summary ?? summarise(data, words));
  const drawn = width > 0 && !empty ? scene({ width, height }) : undefined;
  const points = empty ? [] : readings(data, words);

  function savePicture() {
    // `width` is that of the box around the chart, so this also works while the table is shown.
    const at = scene({ width: Math.max(320, width), height });
    paint(pictureOf(at, title, legend)).then(
      (picture) => saveFile(picture, fileName(title, "png")),
      (error) => toast.error(error),
    );
  }

  return (
    <figure aria-labelledby={`${id}-title`} className={cx("min-w-0", className)}>
      <figcaption className="flex flex-wrap items-center justify-between gap-x-3">
        <p id={`${id}-title`} className="font-medium text-ink">
          {title}
        </p>
        {!plain && !empty && (
          <div className="-mr-1.5 flex">
            <Tool
              label={`Table of ${title}`}
              icon={<Table2 aria-hidden />}
              pressed={asTable}
              onClick={() => setAsTable(!asTable)}
            >
              Table
            </Tool>
            <Tool
              label={`CSV of ${title}`}
              icon={<Download aria-hidden />}
              onClick={() =>
                saveFile(new Blob([toCsv(csvRows(data))], { type: "text/csv" }), fileName(title, "csv"))
              }
            >
              CSV
            </Tool>
            <Tool label={`PNG of ${title}`} icon={<Image aria-hidden />} onClick={savePicture}>
              PNG
            </Tool>
          </div>
        )}
        <p id={`${id}-summary`} className="w-full text-muted text-xs">
          {summary}
        </p>
      </figcaption>
      {!asTable && legend.length > 1 && (
        <ul className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
          {legend.map((item) => (
            <li key={item.label} className="flex items-center gap-1.5">
              <Swatch item={item} />
              {item.label}
            </li>
          ))}
        </ul>
      )}
      <div ref={box} className="mt-2 min-w-0">
        {empty ? (
          <p
            className="grid place-items-center rounded-md border border-line border-dashed text-muted"
            style={{ height }}
          >
            No values
          </p>
        ) : asTable ? (
          <ReadingTable caption={title} data={data} points={points} leads={leads} />
        ) : (
          <div style={{ height }}>
            {drawn && (
              <Plot
                title={title}
                describedBy={`${id}-summary`}
                scene={drawn}
                points={points}
                legend={legend}
                leads={leads && { label: leads.label, to: keysOf(data.across).map(leads.to) }}
              />
            )}
          </div>
        )}
      </div>
    </figure>
  );
}

interface ToolProps {
  label: string;
  icon: ReactNode;
  pressed?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Tool({ label, icon, pressed, onClick, children }: ToolProps) {
  return (
    <Button
      size="sm"
      variant="ghost"
      aria-label={label}
      aria-pressed={pressed}
      icon={icon}
      onClick={onClick}
      className={cx("px-1.5!", pressed && "bg-hover text-ink")}
    >
      {children}
    </Button>
  );
}
