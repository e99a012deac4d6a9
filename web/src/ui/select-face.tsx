import { ChevronsUpDown } from "lucide-react";
import { cx } from "@/lib/cx";
import { controlClass, controlText } from "./input";
import { onDemand, useFirstPress } from "./on-demand";
import type { SelectProps } from "./select";

export interface Option<V extends string> {
  value: V;
  label: string;
  hint?: string;
  disabled?: boolean;
}

export function selectClass(size: "sm" | "md", className?: string): string {
  return cx(
    controlClass,
    controlText,
    "inline-flex items-center justify-between gap-2 text-left data-disabled:border-line data-disabled:bg-sunken data-disabled:text-muted",
    size === "sm" ? "h-7 pr-1.5 pl-2 text-xs pointer-coarse:h-9" : "h-8 pr-2 pl-2.5 pointer-coarse:h-10",
    className,
  );
}

export function SelectIcon() {
  return <ChevronsUpDown className="size-3.5" aria-hidden />;
}

const select = onDemand(() => import("./select"));

type FilterSelectProps = Pick<
  Required<SelectProps<string>>,
  "options" | "value" | "onValueChange" | "aria-label" | "className"
>;

/** A Select that is loaded at its first press, because most readers of a list never press it. */
export function FilterSelect(props: FilterSelectProps) {
  const { module, trigger, listeners } = useFirstPress(select);
  if (module) return <module.Select {...props} ref={trigger} />;
  const { options, value, className } = props;
  return (
    <button
      type="button"
      role="combobox"
      aria-label={props["aria-label"]}
      aria-haspopup="listbox"
      aria-expanded={false}
      // aria-controls is absent until the popup exists.
      aria-controls={undefined}
      className={selectClass("md", className)}
      {...listeners}
    >
      <span className="truncate">{options.find((option) => option.value === value)?.label}</span>
      <span className="text-subtle">
        <SelectIcon />
      </span>
    </button>
  );
}
