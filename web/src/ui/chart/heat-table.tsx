import { Download, Image } from "lucide-react";
import { useId } from "react";
import { type CsvCell, toCsv } from "@/lib/csv";
import { cx } from "@/lib/cx";
import { formatNumber, type NumberStyle } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { fileName, saveFile } from "@/lib/save-file";
import { Button } from "../button";
import { toast } from "../toast";
import type { Leads } from "./chart";
import type { Value } from "./geometry";
import { heatLevel, heatScene } from "./heat";
import { paint, pictureOf } from "./paint";
import { Lead } from "./reading-table";

interface HeatTableProps {
  /** Names the table and its file. */
  title: string;
  /** The heading above the names of the rows, such as "Family". */
  corner: string;
  columns: readonly string[];
  rows: readonly { label: string; values: readonly Value[] }[];
  style?: NumberStyle;
  /** Where the names of the rows lead. */
  leads?: Leads["to"];
  className?: string;
}

const shades = ["", "bg-heat-1", "bg-heat-2", "bg-heat-3", "bg-heat-4", "bg-heat-5"];

/** A heat map as a table: the cells have shades and exact numbers. */
export function HeatTable({ title, corner, columns, rows, style, leads, className }: HeatTableProps) {
  const { locale } = useLocale();
  const id = useId();
  const level = heatLevel(rows.map(({ values }) => values));
  const cells: CsvCell[][] = rows.map(({ label, values }) => [label, ...values]);
  if (rows.length === 0 || columns.length === 0)
    return (
      <figure aria-labelledby={id} className={className}>
        <figcaption id={id} className="font-medium text-ink">
          {title}
        </figcaption>
        <p className="mt-2 rounded-md border border-line border-dashed px-4 py-10 text-center text-muted">
          No values
        </p>
      </figure>
    );
  return (
    <figure aria-labelledby={id} className={cx("min-w-0", className)}>
      <figcaption className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span id={id} className="font-medium text-ink">
          {title}
        </span>
        <span className="-mr-1.5 flex flex-wrap items-center gap-x-3">
          <span aria-hidden className="flex items-center gap-1 text-muted text-xs">
            less
            {shades.slice(1).map((shade) => (
              <span key={shade} className={cx("size-3 rounded-sm", shade)} />
            ))}
            more
          </span>
          <Button
            size="sm"
            variant="ghost"
            aria-label={`CSV of ${title}`}
            icon={<Download aria-hidden />}
            className="px-1.5!"
            onClick={() =>
              saveFile(
                new Blob([toCsv([[corner, ...columns], ...cells])], { type: "text/csv" }),
                fileName(title, "csv"),
              )
            }
          >
            CSV
          </Button>
          <Button
            size="sm"
            variant="ghost"
            aria-label={`PNG of ${title}`}
            icon={<Image aria-hidden />}
            className="px-1.5!"
            onClick={() => {
              const scene = heatScene({ columns, rows }, (value) => formatNumber(value, locale, style));
              paint(pictureOf(scene, title, [])).then(
                (picture) => saveFile(picture, fileName(title, "png")),
                (error) => toast.error(error),
              );
            }}
          >
            PNG
          </Button>
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can scroll only what it can focus */}
      <section aria-label={title} tabIndex={0} className="relative mt-2 overflow-x-auto rounded-md">
        <table className="w-full border-separate border-spacing-0.5 text-xs">
          <thead>
            <tr>
              <th scope="col" className="sticky left-0 bg-surface pr-2 text-left font-medium text-muted">
                {corner}
              </th>
              {columns.map((name) => (
                <th key={name} scope="col" className="px-1.5 text-right font-medium text-muted">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ label, values }) => (
              <tr key={label}>
                <th
                  scope="row"
                  className="sticky left-0 min-w-24 bg-surface pr-2 text-left font-normal max-sm:max-w-28 sm:whitespace-nowrap"
                >
                  <Lead to={leads?.(label)}>{label}</Lead>
                </th>
                {columns.map((name, index) => {
                  const value = values[index] ?? null;
                  return (
                    <td
                      key={name}
                      className={cx(
                        "h-7 rounded-sm px-1.5 text-right text-ink tabular-nums",
                        shades[level(value)],
                      )}
                    >
                      {value === null ? (
                        <>
                          <span aria-hidden className="text-subtle">
                            –
                          </span>
                          <span className="sr-only">none</span>
                        </>
                      ) : (
                        formatNumber(value, locale, style)
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
  );
}
