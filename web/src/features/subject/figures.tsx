import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Card } from "@/ui/card";

/** The figures at the top of a page. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <Card flush>
      <dl className="-mr-px -mb-px grid grid-cols-2 md:grid-cols-3 xl:grid-cols-6">{children}</dl>
    </Card>
  );
}

interface FigureProps {
  label: string;
  note?: ReactNode;
  warn?: boolean;
  children: ReactNode;
}

export function Figure({ label, note, warn, children }: FigureProps) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5 border-line border-r border-b px-4 py-3">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className={cx("font-semibold text-lg tabular-nums", warn ? "text-bad-ink" : "text-ink")}>
        {children}
      </dd>
      {note && <dd className="text-muted text-xs">{note}</dd>}
    </div>
  );
}
