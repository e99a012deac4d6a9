import { useMutation } from "@tanstack/react-query";
import { Flag as FlagIcon, PanelRightOpen } from "lucide-react";
import { seeLineFlagsMutation } from "@/api/@tanstack/react-query.gen";
import type { Line } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { useWide } from "@/lib/media";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { IconButton } from "@/ui/icon-button";
import { Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { toast } from "@/ui/toast";
import { Inline } from "./inline";
import { LineName } from "./line-name";
import { explainFlag } from "./line-words";
import { isLate, lineTotal } from "./model";
import { Amount, Day, LineStatusBadge } from "./parts";
import { useReloadPurchasing, useToday } from "./queries";

interface LinesProps {
  lines: readonly Line[];
  selected: ReadonlySet<string>;
  /** Absent if the person has no action on lines. */
  toggle: ((ids: string[], on: boolean) => void) | undefined;
  openLine: (line: Line) => void;
}

export function Lines(props: LinesProps) {
  return !useWide("md") ? <LineCards {...props} /> : <LinesTable {...props} />;
}

function LinesTable({ lines, selected, toggle, openLine }: LinesProps) {
  const today = useToday();
  const all = lines.length > 0 && lines.every((line) => selected.has(line.id));
  return (
    <Table caption="Lines of this order">
      <thead>
        <tr>
          {toggle && (
            <Th className="w-0">
              <Checkbox
                aria-label="Select all lines"
                checked={all}
                indeterminate={!all && selected.size > 0}
                onCheckedChange={(on) =>
                  toggle(
                    lines.map((line) => line.id),
                    on,
                  )
                }
              />
            </Th>
          )}
          <Th>Article</Th>
          <Th>Supplier</Th>
          <Th num>Ordered</Th>
          <Th num>Received</Th>
          <Th num>Open</Th>
          <Th num>Price</Th>
          <Th>Currency</Th>
          <Th num>Total</Th>
          <Th>Expected</Th>
          <Th>Status</Th>
          <Th className="w-0">
            <span className="sr-only">Details</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Tr key={line.id} selected={selected.has(line.id)} data-line={line.id}>
            {toggle && (
              <Td className="align-top pt-2.5">
                <Checkbox
                  aria-label={`Select ${line.sku}`}
                  checked={selected.has(line.id)}
                  onCheckedChange={(on) => toggle([line.id], on)}
                />
              </Td>
            )}
            <Td className="min-w-40 py-1.5 align-top">
              <LineName line={line} linked />
              <Flags line={line} />
            </Td>
            <Td className="min-w-28 py-1 align-top">
              <Inline line={line} field="supplier_id">
                {line.supplier_name ?? <Num value={undefined} />}
              </Inline>
            </Td>
            <Td num className="py-1 align-top">
              <Inline line={line} field="quantity_ordered" num>
                <Num value={line.quantity_ordered} />
              </Inline>
            </Td>
            <Td num className="py-2 align-top">
              <Num value={line.quantity_received} />
            </Td>
            <Td num className="py-2 align-top">
              <Num value={line.quantity_open} />
            </Td>
            <Td num className="py-1 align-top">
              <Inline line={line} field="price_per_unit" num>
                <Amount amount={line.price_per_unit} currency={line.currency} />
              </Inline>
            </Td>
            <Td className="py-1 align-top">
              <Inline line={line} field="currency">
                {line.currency ?? <Num value={undefined} />}
              </Inline>
            </Td>
            <Td num className="py-2 align-top">
              <Amount amount={lineTotal(line)} currency={line.currency} />
            </Td>
            <Td className="py-1 align-top">
              <Inline line={line} field="expected_arrival_date">
                <Day day={line.expected_arrival_date} late={isLate(line, today)} />
              </Inline>
            </Td>
            <Td className="py-2 align-top">
              <LineStatusBadge status={line.status} closedShort={line.closed_short} />
            </Td>
            <Td className="py-1 align-top">
              <IconButton
                label={`Details of ${line.sku}`}
                icon={<PanelRightOpen aria-hidden />}
                size="sm"
                onClick={() => openLine(line)}
              />
            </Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  );
}

/** The lines on a phone: what is needed to approve and receive, without sideways scrolling. */
function LineCards({ lines, selected, toggle, openLine }: LinesProps) {
  const today = useToday();
  return (
    <ul aria-label="Lines of this order" className="divide-y divide-line">
      {lines.map((line) => (
        <li key={line.id} className="flex gap-3 px-4 py-3" data-line={line.id}>
          {toggle && (
            <span className="pt-1">
              <Checkbox
                aria-label={`Select ${line.sku}`}
                checked={selected.has(line.id)}
                onCheckedChange={(on) => toggle([line.id], on)}
              />
            </span>
          )}
          <div className="min-w-0 flex-1">
            <button type="button" className="w-full rounded-md text-left" onClick={() => openLine(line)}>
              <span className="flex items-start justify-between gap-2">
                <LineName line={line} />
                <LineStatusBadge status={line.status} closedShort={line.closed_short} />
              </span>
              <span className="mt-1 flex flex-wrap justify-between gap-x-3 text-muted">
                <span>
                  <Num value={line.quantity_received} /> of <Num value={line.quantity_ordered} /> received
                </span>
                <Amount amount={lineTotal(line)} currency={line.currency} />
              </span>
              <span className="mt-0.5 flex flex-wrap justify-between gap-x-3 text-subtle text-xs">
                <span className="break-words">{line.supplier_name ?? "No supplier"}</span>
                <Day day={line.expected_arrival_date} late={isLate(line, today)} />
              </span>
              <span className="sr-only">Details of {line.sku}</span>
            </button>
            <Flags line={line} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The flags of a line, with a button to mark one as seen; those without an id go when their reason does. */
export function Flags({ line }: { line: Line }) {
  const { workspace, can } = usePlace();
  const { locale } = useLocale();
  const reload = useReloadPurchasing();
  const { mutate, isPending } = useMutation({
    ...seeLineFlagsMutation(),
    onSuccess: reload,
    onError: (error) => toast.error(error, "The flag is still there"),
  });
  return line.flags.map((flag) => (
    <span
      key={flag.id ?? flag.kind}
      className="mt-1 flex max-w-80 flex-wrap items-center gap-x-2 gap-y-1 text-warn-ink text-xs"
    >
      <span className="flex items-start gap-1">
        <FlagIcon className="mt-0.5 size-3 shrink-0" aria-hidden />
        {explainFlag(flag, line, locale)}
      </span>
      {flag.id && can("draft_lines") && (
        <Button
          size="sm"
          loading={isPending}
          onClick={() =>
            mutate({ path: { workspace: workspace.id, line: line.id }, query: { flag: [flag.id ?? ""] } })
          }
        >
          Looks right
        </Button>
      )}
    </span>
  ));
}
