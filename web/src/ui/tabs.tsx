import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { cx } from "@/lib/cx";

export interface Tab<V extends string> {
  value: V;
  label: string;
  /** The number of rows behind the tab, or a text such as 10,000+. */
  count?: number | string;
  panel?: ReactNode;
  /** Keeps the panel mounted but hidden while another is shown. */
  keep?: boolean;
}

interface TabsProps<V extends string> {
  tabs: readonly Tab<V>[];
  value?: V;
  defaultValue?: V;
  onValueChange?: (value: V) => void;
  /** Names the tabs, for screen readers. */
  label: string;
  className?: string;
  /** Shared content below, for tabs that only filter one list. */
  children?: ReactNode;
}

const moves: Record<string, (at: number, count: number) => number> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** The arrow keys move between tabs; Enter and the space bar choose one, as on every button. */
function move(event: KeyboardEvent<HTMLDivElement>) {
  const to = moves[event.key];
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")];
  const at = all.indexOf(event.target as HTMLElement);
  if (!to || at < 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  all[to(at, all.length)]?.focus();
}

interface TabListProps<V extends string> {
  /** The prefix of the ids of the tabs and the panel. */
  id: string;
  label: string;
  tabs: readonly { value: V; label: ReactNode }[];
  value: V | undefined;
  onChoose: (value: V) => void;
  className: string;
  tabClass: string;
}

/** The tabs alone, for another layout; `tabPanel` gives the props that their panel needs. */
export function TabList<V extends string>(props: TabListProps<V>) {
  const { id, label, tabs, value, onChoose, className, tabClass } = props;
  return (
    <div role="tablist" aria-label={label} onKeyDown={move} className={className}>
      {tabs.map((tab, index) => {
        const chosen = tab.value === value;
        return (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={chosen}
            aria-controls={chosen ? `${id}-panel` : undefined}
            tabIndex={chosen ? 0 : -1}
            onClick={() => !chosen && onChoose(tab.value)}
            className={tabClass}
          >
            {tab.label}
          </button>
        );
      })}
    </div>
  );
}

export function tabPanel(id: string, index: number) {
  // Focusable, so that the next stop of the keyboard after the tab is its panel.
  return { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": `${id}-${index}`, tabIndex: 0 } as const;
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
  const [own, setOwn] = useState(defaultValue ?? tabs[0]?.value);
  const id = useId();
  const chosen = tabs.find((tab) => tab.value === (value ?? own));
  return (
    <div className={className}>
      <TabList
        id={id}
        label={label}
        value={chosen?.value}
        onChoose={(next) => {
          setOwn(next);
          onValueChange?.(next);
        }}
        tabs={tabs.map((tab) => ({ value: tab.value, label: <TabFace tab={tab} /> }))}
        className="flex gap-1 overflow-x-auto border-line border-b"
        tabClass={cx(
          "-mb-px flex h-9 shrink-0 items-center gap-1.5 border-transparent border-b-2 px-2.5 text-muted transition-colors hover:text-ink",
          "-outline-offset-2! rounded-t-md aria-selected:border-accent-ink aria-selected:font-medium aria-selected:text-ink pointer-coarse:h-11",
        )}
      />
      {tabs.map((tab, index) => {
        const shown = tab === chosen;
        return shown || tab.keep ? (
          <div
            // Shared content stays mounted when another tab is chosen: a list must not start again.
            key={tab.panel ? tab.value : "shared"}
            hidden={!shown}
            {...(shown && tabPanel(id, index))}
            className="pt-3"
          >
            {tab.panel ?? children}
          </div>
        ) : null;
      })}
    </div>
  );
}

function TabFace({ tab: { label, count } }: { tab: Pick<Tab<string>, "label" | "count"> }) {
  return (
    <>
      {label}
      {count !== undefined && (
        <span className="min-w-5 rounded-full bg-hover px-1.5 text-center text-muted text-xs tabular-nums">
          {count}
        </span>
      )}
    </>
  );
}
