import type { ReactElement, ReactNode, Ref } from "react";
import { onDemand, useFirstPress, withMore } from "./on-demand";

export const popup = onDemand(() => import("./menu-popup"));

export interface MenuProps {
  trigger: ReactElement;
  align?: "start" | "end" | "center";
  side?: "top" | "bottom";
  children: ReactNode;
  /** For a menu that replaces a plain button at its first press: see `useFirstPress`. */
  triggerRef?: Ref<HTMLButtonElement> | undefined;
}

export function Menu(props: MenuProps) {
  const { module, trigger, listeners } = useFirstPress(popup);
  if (module) return <module.Menu {...props} triggerRef={props.triggerRef ?? trigger} />;
  return withMore(props.trigger, { "aria-haspopup": "menu", "aria-expanded": false, ...listeners });
}

// The content of a menu is rendered only when it is open, when its code is already loaded.

export interface MenuItemProps {
  icon?: ReactNode;
  keys?: string;
  danger?: boolean;
  disabled?: boolean;
  onSelect?: () => void;
  /** A router link to render instead of a plain item. */
  link?: ReactElement;
  children: ReactNode;
}

export function MenuItem(props: MenuItemProps) {
  return popup.module && <popup.module.MenuItem {...props} />;
}

export interface MenuCheckProps {
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  children: ReactNode;
}

/** Keeps the menu open, for choosing several columns or filters. */
export function MenuCheck(props: MenuCheckProps) {
  return popup.module && <popup.module.MenuCheck {...props} />;
}

export function MenuGroup(props: { label: string; children: ReactNode }) {
  return popup.module && <popup.module.MenuGroup {...props} />;
}

export function MenuSeparator() {
  return popup.module && <popup.module.MenuSeparator />;
}
