import { Table, Td, Th, Tr } from "../table";
import { type ChartData, keysOf } from "./data";
import type { Reading } from "./reading";

interface ReadingTableProps {
  caption: string;
  data: ChartData;
  points: readonly Reading[];
}

/** The same data as the plot, in the same order. */
export function ReadingTable({ caption, data, points }: ReadingTableProps) {
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
              <Td className="whitespace-nowrap">{at}</Td>
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
