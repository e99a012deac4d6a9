import { Field as Base } from "@base-ui/react/field";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** The message of react-hook-form's fieldState.error, or of ApiError.fieldError. */
  error?: string | undefined;
  /** Most fields are required; the others are marked as optional. */
  optional?: boolean;
  disabled?: boolean;
  className?: string;
  children: ReactNode;
}

/**
 * Label, hint and error around one control. Base UI connects them by id, so react-hook-form needs
 * only `register("name")` spread on the Input inside.
 */
export function Field({ label, hint, error, optional, disabled, className, children }: FieldProps) {
  return (
    <Base.Root
      invalid={Boolean(error)}
      disabled={disabled}
      className={cx("flex flex-col gap-1.5", className)}
    >
      <Base.Label className="w-fit font-medium text-ink text-sm data-disabled:text-muted">
        {label}
        {optional && <span className="ml-1.5 font-normal text-subtle">optional</span>}
      </Base.Label>
      {children}
      <Wrong error={error} />
      {hint && <Base.Description className="text-muted text-xs">{hint}</Base.Description>}
    </Base.Root>
  );
}

function Wrong({ error, className }: { error: string | undefined; className?: string }) {
  if (!error) return null;
  return (
    <Base.Error match className={cx("flex items-start gap-1.5 text-bad-ink text-xs", className)}>
      <CircleAlert className="mt-px size-3.5 shrink-0" aria-hidden />
      {error}
    </Base.Error>
  );
}

interface BareFieldProps {
  error: string | undefined;
  className?: string;
  children: ReactNode;
}

/** The error of a control that has its own name, for rows of controls without visible labels. */
export function BareField({ error, className, children }: BareFieldProps) {
  return (
    <Base.Root invalid={Boolean(error)} className={className}>
      {children}
      <Wrong error={error} className="mt-1 basis-full" />
    </Base.Root>
  );
}
