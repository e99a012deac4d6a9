import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { searchEntries } from "@/lib/match";
import { results } from "@/messages/parts";
import { Dialog } from "./dialog";
import { ErrorNote } from "./error-note";
import { Keys } from "./keys";

export interface Command {
  id: string;
  label: string;
  group: string;
  /** Synonyms that also match. */
  keywords?: string;
  icon?: ReactNode;
  /** Text beside the label that tells similar entries apart, such as a code. */
  code?: string;
  detail?: string;
  keys?: string;
  run: () => void;
}

/** Search results besides the commands. */
export interface Found {
  commands: Command[];
  /** The results are still those of the previous query. */
  loading: boolean;
  /** There are more results than these. */
  more: boolean;
  error?: unknown;
  retry?: () => void;
}

export interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  commands: Command[];
  /** A hook that finds more than commands. It must not change while the palette is open. */
  useFound?: (query: string) => Found;
}

const none: Found = { commands: [], loading: false, more: false };
const findNothing = () => none;

export function CommandPalette({
  open,
  onOpenChange,
  commands,
  useFound = findNothing,
}: CommandPaletteProps) {
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
      <Palette commands={commands} useFound={useFound} input={input} close={() => onOpenChange(false)} />
    </Dialog>
  );
}

interface PaletteProps {
  commands: Command[];
  useFound: (query: string) => Found;
  input: React.RefObject<HTMLInputElement | null>;
  close: () => void;
}

function Palette({ commands, useFound, input, close }: PaletteProps) {
  const { locale } = useLocale();
  const id = useId();
  const [query, setQuery] = useState("");
  // Set by the arrow keys; otherwise the first entry is active, also when better ones arrive.
  const [chosen, setChosen] = useState<string>();
  const [entered, setEntered] = useState(false);
  const found = useFound(query);
  const { close: meant, loose } = useMemo(() => searchEntries(commands, query), [commands, query]);
  // Grouped after ranking: groups keep the order of their best hit.
  const groups = Map.groupBy([...meant, ...found.commands, ...loose], (command) => command.group);
  const flat = [...groups.values()].flat();
  const active = Math.max(
    0,
    flat.findIndex((command) => command.id === chosen),
  );
  const current = flat[active];
  const failed = found.error !== undefined;
  // A result that is still loading may become the first entry, so Enter waits for it.
  const open = found.loading && !chosen && meant.length === 0;

  function run(command: Command) {
    close();
    command.run();
  }

  useEffect(() => {
    if (!entered || open) return;
    setEntered(false);
    if (current && !failed) {
      close();
      current.run();
    }
  });

  function move(to: number) {
    if (flat.length === 0) return;
    const next = flat[(to + flat.length) % flat.length];
    setChosen(next?.id);
    document.getElementById(`${id}-${next?.id}`)?.scrollIntoView({ block: "nearest" });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") move(active + 1);
    else if (event.key === "ArrowUp") move(active - 1);
    else if (event.key === "Enter" && open) setEntered(true);
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
          placeholder={
            useFound === findNothing
              ? "Go to a page or do something…"
              : "Find a record, go to a page or do something…"
          }
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(undefined);
            setEntered(false);
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
        {[...groups].map(([group, list], place) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot group options
          <div key={group} role="group" aria-labelledby={`${id}-group-${place}`} className="not-first:mt-2">
            <div id={`${id}-group-${place}`} className="px-2 py-1 font-medium text-subtle text-xs">
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
                onMouseMove={() => setChosen(command.id)}
                className={cx(
                  "flex h-9 cursor-default items-center gap-2.5 rounded-md px-2 [&_svg]:size-4 [&_svg]:text-subtle",
                  command === current && "bg-hover",
                  found.loading && found.commands.includes(command) && "opacity-60",
                )}
              >
                {command.icon}
                <span className="min-w-0 flex-1 truncate">
                  {command.label}
                  {command.detail && <span className="text-muted"> · {command.detail}</span>}
                </span>
                {command.code && (
                  <code className="max-w-[40%] shrink-0 truncate font-mono text-muted text-xs">
                    {command.code}
                  </code>
                )}
                {command.keys && <Keys keys={command.keys} />}
              </div>
            ))}
          </div>
        ))}
      </div>
      {failed && (
        <div className="border-line border-t p-2">
          <ErrorNote error={found.error} {...(found.retry && { retry: found.retry })} />
        </div>
      )}
      {found.more && !failed && (
        <p className="border-line border-t px-4 py-2 text-muted text-xs">
          There are more results. Type more to narrow them.
        </p>
      )}
      {flat.length === 0 && !failed && (
        <p className="px-4 pb-8 text-center text-muted">
          {found.loading ? "Searching…" : `Nothing matches “${query}”.`}
        </p>
      )}
      <p role="status" className="sr-only">
        {found.loading ? "Searching" : results({ count: flat.length }, locale)}
      </p>
    </>
  );
}
