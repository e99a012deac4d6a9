import { Bookmark } from "lucide-react";
import { useEffect } from "react";
import { Button, type ButtonSize } from "@/ui/button";
import { popup } from "@/ui/menu";
import { onDemand, useFirstPress } from "@/ui/on-demand";
import type { ListName } from "./lists";
import type { TableTarget } from "./target";

/** The text changes with the view. On a phone it is last in its line, so that no other button moves. */
export const placeClass = "max-md:order-last";

const menu = onDemand(async () => {
  const [module] = await Promise.all([import("./views-menu"), popup.load()]);
  return module;
});

export interface ViewsButtonProps {
  /** A list saves its search parameters, a table its state. */
  of: ListName | TableTarget;
  /** The id of the view that the address started from. */
  view: string | undefined;
  size?: ButtonSize;
}

/**
 * Saved views: choose one, save the current state, share a view by its link. The menu is loaded at
 * the first press, or at once if the address names a view, to show its name.
 */
export function ViewsButton(props: ViewsButtonProps) {
  const { view, size } = props;
  const { module, show, trigger, listeners } = useFirstPress(menu);
  useEffect(() => {
    if (view) void show();
  }, [view, show]);
  if (module) return <module.ViewsMenu {...props} triggerRef={trigger} />;
  return (
    <Button
      size={size}
      className={placeClass}
      icon={<Bookmark aria-hidden />}
      aria-haspopup="menu"
      aria-expanded={false}
      {...listeners}
    >
      Views
    </Button>
  );
}
