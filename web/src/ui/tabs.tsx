import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export interface Tab<V extends string> {
  value: V;
  label: string;
  /** How many there are, or a text such as 10,000+. */
  count?: number | string;
  panel?: ReactNode;
}

interface TabsProps<V extends string> {
  tabs: readonly Tab<V>[];
  value?: V;
  defaultValue?: V;
  onValueChange?: (value: V) => void;
  /** What the tabs choose between, for screen readers. */
  label: string;
  className?: string;
  /** Shared content below, for tabs that only filter one list. */
  children?: ReactNode;
}

export function Tabs<V extends string>({
  tabs,
  value,
  defaultValue,
  onValueChange,
  label,
  className,
  children,
}: TabsProps<V>) {
  const current = value ?? defaultValue ?? tabs[0]?.value;
  return (
    <Base.Root
      value={value}
      defaultValue={value === undefined ? current : undefined}
      onValueChange={(next) => onValueChange?.(next as V)}
      className={className}
    >
      <Base.List aria-label={label} className="flex gap-1 overflow-x-auto border-line border-b">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className={cx(
              "-mb-px flex h-9 shrink-0 items-center gap-1.5 border-transparent border-b-2 px-2.5 text-muted transition-colors hover:text-ink",
              "-outline-offset-2! rounded-t-md data-active:border-accent-ink data-active:font-medium data-active:text-ink pointer-coarse:h-11",
            )}
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="min-w-5 rounded-full bg-hover px-1.5 text-center text-muted text-xs tabular-nums">
                {tab.count}
              </span>
            )}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="pt-3">
          {tab.panel ?? children}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
