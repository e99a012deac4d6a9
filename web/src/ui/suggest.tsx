import { Autocomplete as Base } from "@base-ui/react/autocomplete";
import { ChevronsUpDown } from "lucide-react";
import { type Ref, useState } from "react";
import { cx } from "@/lib/cx";
import { useHold } from "@/lib/live";
import { keepOnEscape } from "./escape";
import { controlClass, controlText } from "./input";

export interface Suggestion {
  value: string;
  /** Explains the value; searched as well. */
  hint?: string;
}

interface SuggestProps {
  options: readonly Suggestion[];
  value: string;
  onValueChange: (value: string) => void;
  /** Shown if nothing matches; says what may be typed. */
  empty: string;
  name?: string;
  onBlur?: () => void;
  ref?: Ref<HTMLInputElement>;
}

// Rendering all four hundred time zones is slow, and nobody reads more than fifty.
const most = 50;

/** A text field that suggests values from a long list. The form decides whether other text is valid. */
export function Suggest({ options, value, onValueChange, empty, ref, ...input }: SuggestProps) {
  // The value at opening is not a search: the whole list is suggested then.
  const [opened, setOpened] = useState<string>();
  useHold(opened !== undefined);
  return (
    <Base.Root
      items={options}
      value={value}
      onValueChange={onValueChange}
      onOpenChange={(open) => setOpened(open ? value : undefined)}
      itemToStringValue={(option: Suggestion) => option.value}
      filter={(option: Suggestion, query) => query === opened || matches(option, query)}
      limit={most}
      openOnInputClick
    >
      <span className="relative block">
        <Base.Input
          {...input}
          ref={ref}
          onKeyDown={keepOnEscape}
          onFocus={(event) => event.currentTarget.select()}
          autoComplete="off"
          spellCheck={false}
          className={cx(controlClass, controlText, "h-8 pr-8 pl-2.5 pointer-coarse:h-10")}
        />
        <span className="pointer-events-none absolute inset-y-0 right-2 grid place-items-center text-subtle">
          <ChevronsUpDown className="size-3.5" aria-hidden />
        </span>
      </span>
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup className="pop w-(--anchor-width) overflow-hidden">
            <Base.Empty className="px-3 py-2 text-muted empty:hidden">{empty}</Base.Empty>
            <Base.List className="max-h-[min(18rem,var(--available-height))] scroll-py-1 overflow-y-auto p-1 outline-none data-empty:p-0">
              {(option: Suggestion) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  className="flex cursor-default flex-wrap items-baseline gap-x-2 rounded-md px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-hover pointer-coarse:py-2.5"
                >
                  {option.value}
                  {option.hint && <span className="text-muted text-xs">{option.hint}</span>}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function matches({ value, hint = "" }: Suggestion, query: string): boolean {
  // "new york" finds America/New_York.
  const text = `${value} ${hint}`.toLowerCase().replaceAll("_", " ");
  return query
    .toLowerCase()
    .replaceAll("_", " ")
    .split(/\s+/)
    .every((word) => text.includes(word));
}
