import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef, useState } from "react";
import { cx } from "@/lib/cx";
import { matchRank } from "@/lib/match";
import { Dialog } from "./dialog";
import { Keys } from "./keys";

export interface Command {
  id: string;
  label: string;
  group: string;
  /** Other words people look for. */
  keywords?: string;
  icon?: ReactNode;
  keys?: string;
  run: () => void;
}

interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  commands: Command[];
}

export function CommandPalette({ open, onOpenChange, commands }: CommandPaletteProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      title="Command palette"
      bare
      size="md"
      open={open}
      onOpenChange={onOpenChange}
      initialFocus={input}
    >
      {/* Mounted with the dialog, so that each opening starts empty. */}
      <Palette commands={commands} input={input} close={() => onOpenChange(false)} />
    </Dialog>
  );
}

function search(commands: Command[], query: string): Command[] {
  return commands
    .map((command) => {
      const own = matchRank(command.label, query);
      const other = command.keywords ? matchRank(command.keywords, query) : null;
      return { command, rank: own ?? (other === null ? null : other + 10) };
    })
    .filter((hit): hit is { command: Command; rank: number } => hit.rank !== null)
    .sort((a, b) => a.rank - b.rank)
    .map((hit) => hit.command);
}

interface PaletteProps {
  commands: Command[];
  input: React.RefObject<HTMLInputElement | null>;
  close: () => void;
}

function Palette({ commands, input, close }: PaletteProps) {
  const id = useId();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  // Grouped after ranking: groups keep the order of their best hit.
  const groups = useMemo(() => Map.groupBy(search(commands, query), (c) => c.group), [commands, query]);
  const flat = [...groups.values()].flat();
  const current = flat[Math.min(active, flat.length - 1)];

  function run(command: Command) {
    close();
    command.run();
  }

  function move(to: number) {
    if (flat.length === 0) return;
    const next = (to + flat.length) % flat.length;
    setActive(next);
    document.getElementById(`${id}-${flat[next]?.id}`)?.scrollIntoView({ block: "nearest" });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") move(active + 1);
    else if (event.key === "ArrowUp") move(active - 1);
    else if (event.key === "Enter" && current) run(current);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div className="flex items-center gap-2.5 border-line border-b px-4">
        <Search className="size-4 shrink-0 text-subtle" aria-hidden />
        <input
          ref={input}
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={current ? `${id}-${current.id}` : undefined}
          aria-label="Search commands"
          placeholder="Go to a page or do something…"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
        />
        <Keys keys="Esc" />
      </div>
      {/* The focus stays in the input; aria-activedescendant points into this list. */}
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Commands"
        className="max-h-[min(24rem,60vh)] overflow-y-auto p-2"
      >
        {[...groups].map(([group, list]) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot group options
          <div key={group} role="group" aria-labelledby={`${id}-${group}`} className="not-first:mt-2">
            <div id={`${id}-${group}`} className="px-2 py-1 font-medium text-subtle text-xs">
              {group}
            </div>
            {list.map((command) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the input
              // biome-ignore lint/a11y/useFocusableInteractive: see the list
              <div
                key={command.id}
                id={`${id}-${command.id}`}
                role="option"
                aria-selected={command === current}
                onClick={() => run(command)}
                onMouseMove={() => setActive(flat.indexOf(command))}
                className={cx(
                  "flex h-9 cursor-default items-center gap-2.5 rounded-md px-2 [&_svg]:size-4 [&_svg]:text-subtle",
                  command === current && "bg-hover",
                )}
              >
                {command.icon}
                <span className="flex-1 truncate">{command.label}</span>
                {command.keys && <Keys keys={command.keys} />}
              </div>
            ))}
          </div>
        ))}
      </div>
      {flat.length === 0 && <p className="px-4 pb-8 text-center text-muted">Nothing matches “{query}”.</p>}
      <p role="status" className="sr-only">
        {flat.length} results
      </p>
    </>
  );
}
