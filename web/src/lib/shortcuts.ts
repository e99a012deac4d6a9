import { useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { readSetting, writeSetting } from "./storage";

export interface Shortcut {
  /** "mod+k", "?", "/", or a sequence such as "g o". */
  keys: string;
  label: string;
  group?: string;
  /** Absent: the sheet lists the keys, but the focused element handles them. */
  run?: (event: KeyboardEvent) => void;
}

const registered = new Set<Shortcut>();
const listeners = new Set<() => void>();
let snapshot: Shortcut[] = [];
let enabled = readSetting("single-keys") !== "off";
let pending = "";
let pendingTimer: ReturnType<typeof setTimeout> | undefined;

function changed() {
  snapshot = [...registered];
  for (const listener of listeners) listener();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox],[type=radio]),textarea,select"))
  );
}

// Shortcuts do nothing under an open dialog or menu: a dialog may show a secret for the only time.
// A toast, which has a dialog's role and a type, covers nothing; nor does a dialog that is closing.
const covering = ["dialog", "alertdialog", "menu"]
  .map((role) => `[role=${role}]:not([data-type],[data-closed])`)
  .join();

type Pressed = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "metaKey" | "altKey" | "isComposing" | "defaultPrevented"
>;

/**
 * The name of a key press, such as "j" or "mod+k"; undefined if shortcuts must not take it. Single
 * keys must not steal typing, and some people switch them off.
 */
export function strokeOf(event: Pressed, { typing, single }: { typing: boolean; single: boolean }) {
  if (event.defaultPrevented || event.isComposing || event.altKey) return undefined;
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) return `mod+${key}`;
  return typing || !single ? undefined : key;
}

/** The shortcut that a key press runs after the pending one, or the key press that is pending now. */
export function findShortcut<S extends Pick<Shortcut, "keys" | "run">>(
  shortcuts: readonly S[],
  stroke: string,
  before: string,
): { found?: S | undefined; pending: string } {
  const isSingle = !stroke.startsWith("mod+");
  const wanted = before && isSingle ? `${before} ${stroke}` : stroke;
  const found = shortcuts.find(({ keys, run }) => run && keys === wanted);
  const begins = !found && isSingle && shortcuts.some(({ keys }) => keys.startsWith(`${stroke} `));
  return { found, pending: begins ? stroke : "" };
}

function onKeyDown(event: KeyboardEvent) {
  const stroke = strokeOf(event, { typing: isTyping(event.target), single: enabled });
  if (document.querySelector(covering)) {
    if (stroke === "mod+k") event.preventDefault(); // the browser has a shortcut of its own there
    return;
  }
  if (stroke === undefined) return;
  const { found, pending: next } = findShortcut([...registered], stroke, pending);
  clearTimeout(pendingTimer);
  pending = next;
  if (found?.run) {
    event.preventDefault();
    found.run(event);
  } else if (pending) {
    pendingTimer = setTimeout(() => {
      pending = "";
    }, 1000);
  }
}

/** Registers shortcuts while the component is mounted; the sheet lists what is registered. */
export function useShortcuts(shortcuts: Shortcut[]): void {
  const latest = useRef(shortcuts);
  // Not while rendering: a render that React discards must not leave its functions here.
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  const signature = shortcuts.map((s) => s.keys).join("|");
  // Before the page is painted, so that its keys work as soon as it is visible.
  // biome-ignore lint/correctness/useExhaustiveDependencies: re-register only when the keys change
  useLayoutEffect(() => {
    const mine = latest.current.map((shortcut, index) => ({
      ...shortcut,
      ...(shortcut.run && { run: (event: KeyboardEvent) => latest.current[index]?.run?.(event) }),
    }));
    if (registered.size === 0) addEventListener("keydown", onKeyDown);
    for (const shortcut of mine) registered.add(shortcut);
    changed();
    return () => {
      for (const shortcut of mine) registered.delete(shortcut);
      if (registered.size === 0) removeEventListener("keydown", onKeyDown);
      changed();
    };
  }, [signature]);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useRegisteredShortcuts(): Shortcut[] {
  return useSyncExternalStore(subscribe, () => snapshot);
}

/** WCAG 2.1.4: people who dictate or mistype must be able to switch single keys off. */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  const value = useSyncExternalStore(subscribe, () => enabled);
  return [
    value,
    (on) => {
      enabled = on;
      writeSetting("single-keys", on ? "on" : "off");
      for (const listener of listeners) listener();
    },
  ];
}

const mac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

const caps: Record<string, string> = { mod: mac ? "⌘" : "Ctrl", escape: "Esc" };

/** "mod+k" becomes ["⌘", "K"] or ["Ctrl", "K"]. */
export function keyCaps(keys: string): string[] {
  return keys.split(/[+ ]/).map((key) => caps[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}
