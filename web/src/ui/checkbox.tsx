import { Checkbox as Base } from "@base-ui/react/checkbox";
import { Check, Minus } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { cx } from "@/lib/cx";

interface CheckboxProps {
  /** Visible text; without it (in a table row) give aria-label. */
  label?: ReactNode;
  hint?: ReactNode;
  checked?: boolean;
  defaultChecked?: boolean;
  indeterminate?: boolean;
  onCheckedChange?: (checked: boolean) => void;
  disabled?: boolean;
  name?: string;
  "aria-label"?: string;
  onBlur?: () => void;
  ref?: Ref<HTMLElement>;
}

export function Checkbox({ label, hint, disabled, ...rest }: CheckboxProps) {
  const box = (
    <Base.Root
      {...rest}
      disabled={disabled}
      className={cx(
        "relative grid size-4 shrink-0 place-items-center rounded-sm border border-edge bg-surface shadow-card transition-colors",
        // The hit area is 24 px even though the box is 16, and 36 px where the pointer is a finger.
        "before:absolute before:-inset-1 before:content-[''] pointer-coarse:before:-inset-2.5",
        "data-checked:border-accent data-checked:bg-accent data-indeterminate:border-accent data-indeterminate:bg-accent",
        "data-disabled:opacity-50 data-invalid:border-bad",
      )}
    >
      <Base.Indicator className="group text-on-accent">
        <Check className="size-3 stroke-[3.5] group-data-indeterminate:hidden" aria-hidden />
        <Minus className="hidden size-3 stroke-[3.5] group-data-indeterminate:block" aria-hidden />
      </Base.Indicator>
    </Base.Root>
  );
  if (!label) return box;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Base UI renders the input inside
    <label className={cx("flex w-fit items-start gap-2 text-sm", disabled && "text-muted")}>
      <span className="mt-0.5 flex">{box}</span>
      <span>
        {label}
        {hint && <span className="block text-muted text-xs">{hint}</span>}
      </span>
    </label>
  );
}
