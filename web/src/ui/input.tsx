import { Field } from "@base-ui/react/field";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "@/lib/cx";

export const controlClass = cx(
  "w-full rounded-md border border-edge bg-surface text-ink shadow-card transition-colors",
  "hover:border-muted focus:border-accent-ink focus:outline-2 focus:outline-offset-0 focus:outline-accent-ink/30",
  "disabled:bg-sunken disabled:text-muted disabled:border-line disabled:hover:border-line",
  "data-invalid:border-bad data-invalid:focus:outline-bad/30",
);

// 16 px on touch screens: iOS zooms into fields with smaller text.
export const controlText = "text-sm pointer-coarse:text-lg";

interface InputProps extends ComponentProps<"input"> {
  /** An icon or a unit inside the field, before the text. */
  lead?: ReactNode;
  /** A unit, a shortcut hint or a small button, after the text. */
  trail?: ReactNode;
  /** Monospace, for codes, keys and SKUs. */
  mono?: boolean;
}

/** Inside a Field it takes its label, hint and error from there; alone it needs aria-label. */
export function Input({ lead, trail, mono, className, ...rest }: InputProps) {
  const field = (
    <Field.Control
      {...(rest as ComponentProps<typeof Field.Control>)}
      className={cx(
        controlClass,
        controlText,
        "h-8 px-2.5 pointer-coarse:h-10",
        lead ? "pl-8" : undefined,
        trail ? "pr-9" : undefined,
        mono && "font-mono",
        className,
      )}
    />
  );
  if (!lead && !trail) return field;
  return (
    <span className="relative block">
      {lead && (
        <span className="pointer-events-none absolute inset-y-0 left-0 grid w-8 place-items-center text-subtle [&_svg]:size-4">
          {lead}
        </span>
      )}
      {field}
      {trail && (
        <span className="absolute inset-y-0 right-1.5 flex items-center text-xs text-subtle">{trail}</span>
      )}
    </span>
  );
}
