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

/** Code that most visitors never need; `module` is there once it was loaded. */
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
 * For a button with a popup. Until its first press it is a plain button, `listeners` and all; the
 * code of the popup is fetched when somebody points at it or tabs to it. Then the control takes
 * the button's place, and the press that it came for is handed on to it by `trigger`. `arrows`
 * says whether arrow keys open it; `show` is for one that is opened by something else, too.
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
    button.focus({ preventScroll: true }); // some browsers leave that out after a click
    void show(() => {
      // Whoever went on to something else meanwhile is not called back.
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

/** The element with more attributes and listeners; its own listeners are called first. */
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
