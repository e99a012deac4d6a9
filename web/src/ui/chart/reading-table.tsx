import { Link } from "@tanstack/react-router";
import { Table, Td, Th, Tr } from "../table";
import type { Leads, Target } from "./chart";
import { type ChartData, keysOf } from "./data";
import type { Reading } from "./reading";

interface ReadingTableProps {
  caption: string;
  data: ChartData;
  points: readonly Reading[];
  leads?: Leads | undefined;
}

/** The same data as the plot, in the same order. */
export function ReadingTable({ caption, data, points, leads }: ReadingTableProps) {
  const noted = points.some(({ notes }) => notes.length > 0);
  const keys = keysOf(data.across);
  return (
    <div className="max-h-80 overflow-y-auto rounded-md border border-line">
      <Table caption={caption}>
        <thead className="sticky top-0">
          <tr>
            <Th>{data.across.label}</Th>
            {points[0]?.facts.map(({ label }) => (
              <Th key={label} num>
                {label}
              </Th>
            ))}
            {noted && <Th>Notes</Th>}
          </tr>
        </thead>
        <tbody>
          {points.map(({ at, facts, notes }, index) => (
            <Tr key={keys[index]}>
              <Td className="whitespace-nowrap">
                <Lead to={leads?.to(keys[index] ?? "")}>{at}</Lead>
              </Td>
              {facts.map(({ label, text }) => (
                <Td key={label} num className="whitespace-nowrap">
                  {text}
                </Td>
              ))}
              {noted && <Td className="text-muted">{notes.join(", ")}</Td>}
            </Tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

/** A link to the rows behind a value, if there are any. */
export function Lead({ to, children }: { to: Target | undefined; children: string }) {
  if (!to) return children;
  return (
    <Link {...to} className="rounded-sm text-accent-ink hover:underline">
      {children}
    </Link>
  );
}
