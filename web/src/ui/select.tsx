import { Select as Base } from "@base-ui/react/select";
import { Check } from "lucide-react";
import { type Ref, useState } from "react";
import { useHold } from "@/lib/live";
import { useOpenedSide } from "./opened-side";
import { type Option, SelectIcon, selectClass } from "./select-face";

export type { Option };

export interface SelectProps<V extends string> {
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
  const { popup, remember, placed } = useOpenedSide();
  return (
    <Base.Root
      onOpenChange={setOpen}
      onOpenChangeComplete={remember}
      items={options}
      value={value}
      defaultValue={defaultValue}
      name={name}
      disabled={disabled}
      onValueChange={(next) => next !== null && onValueChange?.(next as V)}
    >
      <Base.Trigger {...trigger} className={selectClass(size, className)}>
        <span className="truncate data-placeholder:text-subtle">
          <Base.Value placeholder={<span className="text-subtle">{placeholder}</span>} />
        </span>
        <Base.Icon className="text-subtle">
          <SelectIcon />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner {...placed} sideOffset={4} alignItemWithTrigger={false} className="z-50">
          <Base.Popup
            ref={popup}
            className="pop max-h-(--available-height) min-w-(--anchor-width) max-w-80 overflow-y-auto p-1"
          >
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
