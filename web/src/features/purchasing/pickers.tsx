import { Autocomplete as Base } from "@base-ui/react/autocomplete";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useState } from "react";
import { searchProductsOptions, searchSuppliersOptions } from "@/api/@tanstack/react-query.gen";
import type { Article, Supplier } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useHold } from "@/lib/live";
import { usePlace } from "@/lib/session";
import { keepOnEscape } from "@/ui/escape";
import { controlClass, controlText } from "@/ui/input";

interface PickerProps<T> {
  label: string;
  placeholder?: string;
  /** The initial text. */
  initial?: string;
  autoFocus?: boolean;
  onPick: (item: T) => void;
  onText?: (text: string) => void;
}

interface SearchProps<T> extends PickerProps<T> {
  text: string;
  setText: (text: string) => void;
  items: readonly T[];
  /** Whether the items are those of an earlier text. */
  stale: boolean;
  textOf: (item: T) => string;
  keyOf: (item: T) => string;
  show: (item: T) => ReactNode;
  empty: string;
}

/**
 * A field that searches on the server while typing; only a picked entry counts. Until the answer is
 * there, the entries of the text before stay in sight but cannot be picked: whoever types a SKU and
 * presses Enter must not get another article.
 */
export function SearchPicker<T>(props: SearchProps<T>) {
  const { label, placeholder, autoFocus, onPick, text, setText, textOf, keyOf, show, empty } = props;
  const { items, stale } = props;
  const [open, setOpen] = useState(false);
  useHold(open);
  return (
    <Base.Root
      onOpenChange={setOpen}
      items={items}
      value={text}
      onValueChange={setText}
      itemToStringValue={textOf}
      filter={null}
      openOnInputClick
      autoHighlight
    >
      <Base.Input
        aria-label={label}
        placeholder={placeholder}
        autoFocus={autoFocus}
        onKeyDown={keepOnEscape}
        onFocus={(event) => event.currentTarget.select()}
        autoComplete="off"
        spellCheck={false}
        className={cx(controlClass, controlText, "h-8 px-2.5 pointer-coarse:h-10")}
      />
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} className="z-60">
          <Base.Popup className="pop w-(--anchor-width) min-w-64 overflow-hidden">
            <Base.Empty className="px-3 py-2 text-muted empty:hidden">
              {stale ? "Searching…" : empty}
            </Base.Empty>
            <Base.List className="max-h-[min(18rem,var(--available-height))] scroll-py-1 overflow-y-auto p-1 outline-none data-empty:p-0">
              {(item: T) => (
                <Base.Item
                  key={keyOf(item)}
                  value={item}
                  disabled={stale}
                  // Not keyed by text: two entries may have the same text.
                  onClick={() => !stale && onPick(item)}
                  className="flex cursor-default flex-col rounded-md px-2 py-1.5 text-sm outline-none select-none data-disabled:opacity-60 data-highlighted:bg-hover pointer-coarse:py-2.5"
                >
                  {show(item)}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function ProductPicker(props: PickerProps<Article>) {
  const { workspace } = usePlace();
  const [text, setText] = useState(props.initial ?? "");
  const wanted = useDeferredValue(text);
  const { data, isPlaceholderData, isPending } = useQuery({
    ...searchProductsOptions({ path: { workspace: workspace.id }, query: { text: wanted } }),
    placeholderData: keepPreviousData,
  });
  return (
    <SearchPicker
      {...props}
      text={text}
      setText={(next) => {
        setText(next);
        props.onText?.(next);
      }}
      items={data?.items ?? []}
      stale={isPending || isPlaceholderData || wanted !== text}
      textOf={(item) => item.sku}
      keyOf={(item) => item.id}
      show={(item) => (
        <>
          <code className="font-mono text-xs">{item.sku}</code>
          <span className="text-muted text-xs">
            {item.name}
            {item.supplier_name && ` · ${item.supplier_name}`}
          </span>
        </>
      )}
      empty="No article matches. You can still order by this SKU."
    />
  );
}

export function SupplierPicker(props: PickerProps<Supplier>) {
  const { workspace } = usePlace();
  const [initial] = useState(props.initial ?? "");
  const [text, setText] = useState(initial);
  // The initial text is not a search: all suppliers are suggested then.
  const search = text === initial ? "" : text;
  const wanted = useDeferredValue(search);
  const { data, isPlaceholderData, isPending } = useQuery({
    ...searchSuppliersOptions({ path: { workspace: workspace.id }, query: { text: wanted } }),
    placeholderData: keepPreviousData,
  });
  return (
    <SearchPicker
      {...props}
      text={text}
      setText={(next) => {
        setText(next);
        props.onText?.(next);
      }}
      items={data?.items ?? []}
      stale={isPending || isPlaceholderData || wanted !== search}
      textOf={(item) => item.name}
      keyOf={(item) => item.id}
      show={(item) => item.name}
      empty="No supplier is called that."
    />
  );
}
