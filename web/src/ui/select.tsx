import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import { type Ref, useState } from "react";
import { cx } from "@/lib/cx";
import { useHold } from "@/lib/live";
import { controlClass, controlText } from "./input";

export interface Option<V extends string> {
  value: V;
  label: string;
  hint?: string;
  disabled?: boolean;
}

interface SelectProps<V extends string> {
  options: readonly Option<V>[];
  value?: V | null;
  defaultValue?: V | null;
  onValueChange?: (value: V) => void;
  placeholder?: string;
  name?: string;
  disabled?: boolean;
  /** Needed outside a Field. */
  "aria-label"?: string;
  className?: string;
  size?: "sm" | "md";
  onBlur?: () => void;
  ref?: Ref<HTMLButtonElement>;
}

export function Select<V extends string>({
  options,
  value,
  defaultValue,
  onValueChange,
  placeholder = "Choose…",
  name,
  disabled,
  className,
  size = "md",
  ...trigger
}: SelectProps<V>) {
  const [open, setOpen] = useState(false);
  useHold(open);
  return (
    <Base.Root
      onOpenChange={setOpen}
      items={options}
      value={value}
      defaultValue={defaultValue}
      name={name}
      disabled={disabled}
      onValueChange={(next) => next !== null && onValueChange?.(next as V)}
    >
      <Base.Trigger
        {...trigger}
        className={cx(
          controlClass,
          controlText,
          "inline-flex items-center justify-between gap-2 text-left data-disabled:border-line data-disabled:bg-sunken data-disabled:text-muted",
          size === "sm"
            ? "h-7 pr-1.5 pl-2 text-xs pointer-coarse:h-9"
            : "h-8 pr-2 pl-2.5 pointer-coarse:h-10",
          className,
        )}
      >
        <span className="truncate data-placeholder:text-subtle">
          <Base.Value placeholder={<span className="text-subtle">{placeholder}</span>} />
        </span>
        <Base.Icon className="text-subtle">
          <ChevronsUpDown className="size-3.5" aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
          <Base.Popup className="pop max-h-(--available-height) min-w-(--anchor-width) max-w-80 overflow-y-auto p-1">
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                className="grid cursor-default grid-cols-[1rem_1fr] items-start gap-2 rounded-md py-1.5 pr-3 pl-2 text-sm outline-none select-none data-disabled:text-subtle data-highlighted:bg-hover pointer-coarse:py-2.5"
              >
                <Base.ItemIndicator className="col-start-1 mt-0.5 text-accent-ink">
                  <Check className="size-4" aria-hidden />
                </Base.ItemIndicator>
                <span className="col-start-2">
                  <Base.ItemText>{option.label}</Base.ItemText>
                  {option.hint && <span className="block text-muted text-xs">{option.hint}</span>}
                </span>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
