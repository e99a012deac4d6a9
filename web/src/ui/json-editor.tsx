import {
  type KeyboardEvent,
  useDeferredValue,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Completion, completionAt, type Offered } from "@/lib/completion";
import { cx } from "@/lib/cx";
import { findProblem } from "@/lib/json-text";
import { JsonLines, jsonTextClass, type Mark, maxColoredLength } from "./json-text";

interface JsonEditorProps {
  label: string;
  value: string;
  onValueChange: (value: string) => void;
  /** Writable fields; their names and known values are suggested while typing. */
  columns: readonly Offered[];
  marks?: readonly Mark[];
  /** Called on Ctrl or ⌘ with Enter. */
  onSubmit?: () => void;
  /** Called on Escape if no list is open. */
  onLeave?: () => void;
  /** The range to select when the editor opens or this changes: the field with the error. */
  select?: { from: number; to: number } | undefined;
}

/**
 * A text area on top of a coloured copy of its text. As it is a plain text area, undo, dictation,
 * spell checkers and phone keyboards work as usual, and Tab leaves it.
 */
export function JsonEditor(props: JsonEditorProps) {
  const { label, value, onValueChange, columns, marks = [], onSubmit, onLeave, select } = props;
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const under = useRef<HTMLPreElement>(null);
  // Large texts get no colours: laying them out twice would delay every key.
  const large = value.length > maxColoredLength;
  const judged = useDeferredValue(value);
  const problem = useMemo(() => findProblem(judged), [judged]);
  const [caret, setCaret] = useState<number>();
  const [active, setActive] = useState(0);
  const offered = useMemo(
    () => (caret === undefined || large ? undefined : completionAt(value, caret, columns)),
    [value, caret, columns, large],
  );
  const current = offered?.suggestions[Math.min(active, offered.suggestions.length - 1)];

  useEffect(() => {
    const { current: field } = area;
    if (!field || !select) return;
    field.focus();
    field.setSelectionRange(select.from, select.to);
  }, [select]);

  function offer(at: number | undefined) {
    setCaret(at);
    setActive(0);
  }

  /** Inserts text as if typed, so that undo works. */
  function type(text: string, from: number, to: number) {
    const { current: field } = area;
    if (!field) return;
    field.focus();
    field.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) {
      field.setRangeText(text, from, to, "end");
      onValueChange(field.value);
    }
  }

  function accept(completion: Completion, index: number) {
    const chosen = completion.suggestions[index];
    if (!chosen) return;
    type(chosen.insert, completion.from, completion.to);
    offer(undefined);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.nativeEvent.isComposing) return;
    const field = event.currentTarget;
    const mod = event.ctrlKey || event.metaKey;
    if (offered && listKey(event, offered)) return event.preventDefault();
    if (event.key === " " && event.ctrlKey) offer(field.selectionStart);
    else if (event.key === "Enter" && mod) onSubmit?.();
    else if (event.key === "Escape") onLeave?.();
    else if (event.key === "Enter" && !event.shiftKey) {
      const line = value.slice(value.lastIndexOf("\n", field.selectionStart - 1) + 1, field.selectionStart);
      type(`\n${/^\s*/.exec(line)?.[0] ?? ""}`, field.selectionStart, field.selectionEnd);
    } else return;
    event.preventDefault();
  }

  function listKey(event: KeyboardEvent, completion: Completion): boolean {
    const { length } = completion.suggestions;
    const index = Math.min(active, length - 1);
    if (event.key === "ArrowDown") setActive((index + 1) % length);
    else if (event.key === "ArrowUp") setActive((index + length - 1) % length);
    else if ((event.key === "Enter" || event.key === "Tab") && !event.ctrlKey && !event.metaKey)
      accept(completion, index);
    else if (event.key === "Escape") offer(undefined);
    else return false;
    return true;
  }

  const shown = problem ? [...marks, { start: problem.start, end: problem.end }] : marks;
  return (
    <div className="relative">
      <div
        className={cx(
          "grid overflow-hidden rounded-md border bg-surface focus-within:outline-2",
          problem
            ? "border-bad focus-within:outline-bad/30"
            : "border-edge focus-within:border-accent-ink focus-within:outline-accent-ink/30",
        )}
      >
        {!large && (
          <pre
            ref={under}
            aria-hidden
            className={cx(
              jsonTextClass,
              "pointer-events-none col-start-1 row-start-1 pointer-coarse:text-lg [counter-reset:line]",
            )}
          >
            <JsonLines text={value} marks={shown} />
          </pre>
        )}
        <textarea
          ref={area}
          aria-label={label}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-said`}
          aria-autocomplete="list"
          aria-controls={offered ? `${id}-list` : undefined}
          aria-activedescendant={current ? `${id}-${current.label}` : undefined}
          value={value}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => {
            onValueChange(event.target.value);
            const { inputType } = event.nativeEvent as InputEvent;
            // No suggestions after pasting, undo, or a character such as a comma.
            const { selectionStart } = event.target;
            const typing = inputType === "insertText" || inputType === "deleteContentBackward";
            offer(
              typing && /["\w]/.test(event.target.value.charAt(selectionStart - 1))
                ? selectionStart
                : undefined,
            );
          }}
          onKeyDown={onKeyDown}
          onBlur={() => offer(undefined)}
          onClick={() => offer(undefined)}
          className={cx(
            jsonTextClass,
            "col-start-1 row-start-1 resize-none bg-transparent outline-none pointer-coarse:text-lg",
            large
              ? "h-96 overflow-auto pl-3"
              : "overflow-hidden text-transparent caret-ink selection:bg-accent-ink/25 selection:text-transparent",
          )}
        />
      </div>
      {offered && (
        <Offers
          id={id}
          completion={offered}
          active={Math.min(active, offered.suggestions.length - 1)}
          under={under.current}
          onPick={(index) => accept(offered, index)}
        />
      )}
      <p id={`${id}-said`} className={cx("mt-1.5 min-h-4 text-xs", problem ? "text-bad-ink" : "text-subtle")}>
        {problem ? (
          <>
            Line {problem.line}, column {problem.column}: {problem.message}
          </>
        ) : (
          "One JSON object. Type a quotation mark or press Ctrl Space for the table’s columns."
        )}
      </p>
      <span role="status" className="sr-only">
        {offered ? `${offered.suggestions.length} suggestions; arrow keys choose, Enter takes one` : ""}
      </span>
    </div>
  );
}

interface OffersProps {
  id: string;
  completion: Completion;
  active: number;
  /** The coloured text, with the list of suggestions under the caret. */
  under: HTMLElement | null;
  onPick: (index: number) => void;
}

function Offers({ id, completion, active, under, onPick }: OffersProps) {
  const [place, setPlace] = useState<{ left: number; top: number }>();
  const list = useRef<HTMLDivElement>(null);
  const { from, suggestions } = completion;
  const current = suggestions[active];
  useLayoutEffect(() => {
    if (under) setPlace(placeOf(under, from));
  }, [under, from]);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      className={cx("pop absolute z-20 flex w-72 max-w-full flex-col overflow-hidden", !place && "invisible")}
      style={place}
    >
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Suggestions"
        className="max-h-48 overflow-y-auto p-1"
      >
        {suggestions.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the text area
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text area
          <div
            key={one.label}
            id={`${id}-${one.label}`}
            role="option"
            aria-selected={index === active}
            // Before the text area loses the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onPick(index)}
            className={cx(
              "flex min-h-7 cursor-default items-center gap-2 rounded-md px-2 pointer-coarse:min-h-10",
              index === active && "bg-hover",
            )}
          >
            <code className="min-w-0 flex-1 truncate font-mono text-xs">{one.label}</code>
            <span className="shrink-0 text-subtle text-xs">{one.detail}</span>
          </div>
        ))}
      </div>
      {current?.about && (
        <p className="border-line border-t px-3 py-1.5 text-muted text-xs">{current.about}</p>
      )}
    </div>
  );
}

/** The position of an offset in the text, relative to the text's top left corner. */
function placeOf(under: HTMLElement, offset: number): { left: number; top: number } | undefined {
  let left = offset;
  for (const line of under.children) {
    const { length } = line.textContent;
    if (left > length) {
      left -= length + 1;
      continue;
    }
    const range = document.createRange();
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    while (node && left > (node.nodeValue?.length ?? 0)) {
      left -= node.nodeValue?.length ?? 0;
      node = walker.nextNode();
    }
    if (node) range.setStart(node, left);
    else range.setStart(line, 0);
    const at = node ? range.getBoundingClientRect() : line.getBoundingClientRect();
    const frame = under.getBoundingClientRect();
    const beside = node ? at.left - frame.left : 44;
    return { left: Math.max(0, Math.min(beside, frame.width - 290)), top: at.bottom - frame.top + 4 };
  }
  return undefined;
}
