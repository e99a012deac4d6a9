import { GitCompareArrows } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Button } from "./button";
import { Time } from "./time";

export interface ContestedField {
  name: string;
  before: ReactNode;
  theirs: ReactNode;
  mine: ReactNode;
}

interface ConflictProps {
  /** Who changed it, and when; absent if unknown. */
  by?: string | undefined;
  at?: string | undefined;
  fields?: readonly ContestedField[];
  /** Other changes by the other person, as text. */
  also?: readonly string[];
  saving?: boolean;
  onKeepMine?: (() => void) | undefined;
  onTakeTheirs: () => void;
  /** Explains why mine cannot be kept, or compares longer texts. */
  children?: ReactNode;
  /** Further buttons, after the two standard ones. */
  actions?: ReactNode;
  className?: string;
}

/** An edit conflict: the other person's change beside the draft, and the choice between them. */
export function Conflict(props: ConflictProps) {
  const { by, at, fields = [], also = [], saving = false, children, actions, className } = props;
  return (
    <section
      role="alert"
      className={cx(
        "@container rounded-md border border-warn/40 bg-warn-soft px-3 py-2.5 text-left text-sm text-warn-ink",
        className,
      )}
    >
      <p className="flex items-start gap-2">
        <GitCompareArrows className="mt-0.5 size-4 shrink-0" aria-hidden />
        <span className="min-w-0">
          <span className="font-medium">{by ?? "Somebody"} changed this</span>{" "}
          {at ? <Time inline value={at} /> : "meanwhile"}. Yours is not saved yet.
        </span>
      </p>
      {fields.map((field) => (
        <Contested key={field.name} field={field} />
      ))}
      {also.length > 0 && <p className="mt-2 break-words text-xs">Also changed: {also.join("; ")}.</p>}
      {children}
      <div className="mt-2.5 flex flex-wrap gap-2">
        {props.onKeepMine && (
          <Button size="sm" variant="primary" loading={saving} onClick={props.onKeepMine}>
            Keep mine
          </Button>
        )}
        <Button size="sm" disabled={saving} onClick={props.onTakeTheirs}>
          Take theirs
        </Button>
        {actions}
      </div>
    </section>
  );
}

function Contested({ field: { name, before, theirs, mine } }: { field: ContestedField }) {
  const cell = "min-w-0 break-words rounded-md border border-line bg-surface px-2 py-1 text-ink";
  return (
    <dl className="mt-2 grid grid-cols-2 gap-x-2 gap-y-0.5" aria-label={name}>
      <div className="col-span-2 flex flex-wrap gap-x-1.5 text-xs">
        <dt className="font-medium">{name}</dt>
        <dd>was {before}</dd>
      </div>
      <div className={cell}>
        <dt className="text-muted text-xs">Theirs</dt>
        <dd>{theirs}</dd>
      </div>
      <div className={cx(cell, "border-accent-ink/50")}>
        <dt className="text-muted text-xs">Yours</dt>
        <dd>{mine}</dd>
      </div>
    </dl>
  );
}
