import {
  cloneElement,
  type ReactElement,
  type SyntheticEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { toast } from "./toast";

/** Code that most visitors never need; `module` is set once it is loaded. */
export interface OnDemand<M> {
  module: M | undefined;
  load: () => Promise<M>;
}

export function onDemand<M>(fetch: () => Promise<M>): OnDemand<M> {
  const code: OnDemand<M> = {
    module: undefined,
    load: async () => {
      code.module = await fetch();
      return code.module;
    },
  };
  return code;
}

/**
 * For a button with a popup. Until its first press it is a plain button with `listeners`; the
 * popup's code is fetched when somebody hovers over the button or tabs to it. At the first press the
 * real control replaces the button, and receives the press through `trigger`. `arrows` says whether
 * arrow keys open the popup; `show` opens it from elsewhere.
 */
export function useFirstPress<M>(code: OnDemand<M>, { arrows = true } = {}) {
  const [module, setModule] = useState(code.module);
  const trigger = useRef<HTMLButtonElement>(null);
  const press = useRef<Event>(undefined);

  useEffect(() => {
    if (!module || !press.current) return;
    trigger.current?.focus({ preventScroll: true });
    trigger.current?.dispatchEvent(press.current);
    press.current = undefined;
  }, [module]);

  const prepare = () => void code.load().catch(() => undefined);
  const show = useCallback(
    async (loaded?: () => void) => {
      try {
        const module = await code.load();
        loaded?.();
        setModule(module);
      } catch {
        toast.error({ title: "That could not be loaded", fix: "Check the connection and press again." });
      }
    },
    [code],
  );
  function take(again: Event, event: SyntheticEvent<HTMLElement>) {
    const button = event.currentTarget;
    event.preventDefault();
    button.focus({ preventScroll: true }); // some browsers do not focus a clicked button
    void show(() => {
      // If the focus has moved on meanwhile, the popup stays closed.
      if (document.activeElement === button) press.current = again;
    });
  }

  const listeners = {
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: (event: SyntheticEvent<HTMLElement>) =>
      take(new MouseEvent("click", { bubbles: true, cancelable: true }), event),
    onKeyDown: (event: SyntheticEvent<HTMLElement, KeyboardEvent>) => {
      const { key } = event.nativeEvent;
      if (arrows && (key === "ArrowDown" || key === "ArrowUp"))
        take(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }), event);
    },
  };
  return { module, show, trigger, listeners };
}

type Props = Record<string, unknown>;

/** Adds attributes and listeners to an element; its own listeners are called first. */
export function withMore(element: ReactElement, more: object): ReactElement {
  const own = element.props as Props;
  const joined = Object.entries(more as Props).map(([name, value]) => {
    const mine = own[name];
    if (typeof mine !== "function" || typeof value !== "function") return [name, value];
    const both = (...args: unknown[]) => {
      mine(...args);
      value(...args);
    };
    return [name, both];
  });
  return cloneElement(element, Object.fromEntries(joined));
}
