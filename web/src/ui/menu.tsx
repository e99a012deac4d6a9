import type { ReactElement, ReactNode, Ref } from "react";
import { onDemand, useFirstPress, withMore } from "./on-demand";

export const popup = onDemand(() => import("./menu-popup"));

export interface MenuProps {
  trigger: ReactElement;
  align?: "start" | "end" | "center";
  side?: "top" | "bottom";
  children: ReactNode;
  /** For a menu that takes the place of a plain button itself: see `useFirstPress`. */
  triggerRef?: Ref<HTMLButtonElement> | undefined;
}

export function Menu(props: MenuProps) {
  const { module, trigger, listeners } = useFirstPress(popup);
  if (module) return <module.Menu {...props} triggerRef={props.triggerRef ?? trigger} />;
  return withMore(props.trigger, { "aria-haspopup": "menu", "aria-expanded": false, ...listeners });
}

// What is in a menu is rendered when it is open, and thereby loaded.

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

/** Stays open, for choosing columns or filters one after another. */
export function MenuCheck(props: MenuCheckProps) {
  return popup.module && <popup.module.MenuCheck {...props} />;
}

export function MenuGroup(props: { label: string; children: ReactNode }) {
  return popup.module && <popup.module.MenuGroup {...props} />;
}

export function MenuSeparator() {
  return popup.module && <popup.module.MenuSeparator />;
}
