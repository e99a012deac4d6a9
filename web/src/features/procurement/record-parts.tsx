import { Link } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import type { ReactNode } from "react";
import type { TrackRecord } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { DayField } from "@/ui/filter";
import type { CaseSearch, RecordSearch, Span } from "./record-search";

const backClass = "-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink";

/** A link to the queue. */
export function BackToQueue() {
  const { workspace } = usePlace();
  return (
    <Link to="/w/$workspace/to-order" params={{ workspace: workspace.id }} className={backClass}>
      <ChevronLeft className="size-4" aria-hidden />
      To order
    </Link>
  );
}

export function BackToRecord({ search }: { search: RecordSearch }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/to-order/record"
      params={{ workspace: workspace.id }}
      search={search}
      className={backClass}
    >
      <ChevronLeft className="size-4" aria-hidden />
      Track record
    </Link>
  );
}

interface SpanFieldsProps {
  span: Span;
  /** What the figures are of; shown where nothing was chosen. */
  shown: Pick<TrackRecord, "from" | "to"> | undefined;
  onChange: (span: Span) => void;
}

/** The days on which suggestions were made. */
export function SpanFields({ span: { from, to }, shown, onChange }: SpanFieldsProps) {
  return (
    <span className="flex items-center gap-1.5 text-muted">
      <span className="whitespace-nowrap max-md:sr-only">Suggested from</span>
      <DayField
        label="First day"
        day={from ?? shown?.from}
        max={to ?? shown?.to}
        onChange={(day) => onChange({ from: day, to })}
      />
      to
      <DayField
        label="Last day"
        day={to ?? shown?.to}
        min={from ?? shown?.from}
        onChange={(day) => onChange({ from, to: day })}
      />
    </span>
  );
}

interface CasesLinkProps {
  search: CaseSearch;
  label?: string;
  className?: string;
  children: ReactNode;
}

/** A link to the cases that a figure counts. */
export function CasesLink({ search, label, className, children }: CasesLinkProps) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/to-order/record/cases"
      params={{ workspace: workspace.id }}
      search={search}
      className={className ?? "rounded-sm text-accent-ink hover:underline"}
      {...(label && { "aria-label": label })}
    >
      {children}
    </Link>
  );
}
