import { Check, Minus } from "lucide-react";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { cx } from "@/lib/cx";

interface CheckboxProps {
  /** Visible text; without it (in a table row) give aria-label. */
  label?: ReactNode;
  hint?: ReactNode;
  checked?: boolean;
  defaultChecked?: boolean;
  indeterminate?: boolean;
  /** `shift`: the shift key was down. */
  onCheckedChange?: (checked: boolean, shift: boolean) => void;
  disabled?: boolean;
  name?: string;
  "aria-label"?: string;
  onBlur?: () => void;
  ref?: Ref<HTMLElement>;
}

export function Checkbox({
  label,
  hint,
  indeterminate = false,
  onCheckedChange,
  ref,
  ...rest
}: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // HTML has no attribute for `indeterminate`, and a click clears it.
    if (input.current) input.current.indeterminate = indeterminate;
  });
  useImperativeHandle(ref, () => input.current as HTMLInputElement);
  const box = (
    <span className="relative grid size-4 shrink-0 place-items-center text-on-accent">
      <input
        {...rest}
        ref={input}
        type="checkbox"
        onChange={({ currentTarget, nativeEvent }) =>
          onCheckedChange?.(currentTarget.checked, (nativeEvent as MouseEvent).shiftKey)
        }
        className={cx(
          "peer size-4 appearance-none rounded-sm border border-edge bg-surface shadow-card transition-colors",
          // The box is 16 px, but the hit area is 24 px, and 36 px on touch screens.
          "before:absolute before:-inset-1 before:content-[''] pointer-coarse:before:-inset-2.5",
          "checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent disabled:opacity-50",
        )}
      />
      <Check
        className="pointer-events-none absolute hidden size-3 stroke-[3.5] peer-checked:block peer-indeterminate:hidden"
        aria-hidden
      />
      <Minus
        className="pointer-events-none absolute hidden size-3 stroke-[3.5] peer-indeterminate:block"
        aria-hidden
      />
    </span>
  );
  if (!label) return box;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: `box` contains the input
    <label className={cx("flex w-fit items-start gap-2 text-sm", rest.disabled && "text-muted")}>
      <span className="mt-0.5 flex">{box}</span>
      <span>
        {label}
        {hint && <span className="block text-muted text-xs">{hint}</span>}
      </span>
    </label>
  );
}
