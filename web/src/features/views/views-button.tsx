import { Bookmark } from "lucide-react";
import { useEffect } from "react";
import { Button, type ButtonSize } from "@/ui/button";
import { popup } from "@/ui/menu";
import { onDemand, useFirstPress } from "@/ui/on-demand";
import type { ListName } from "./lists";
import type { TableTarget } from "./target";

/** Its text changes with the view. At the end of a line on a phone, that moves no other button. */
export const placeClass = "max-md:order-last";

const menu = onDemand(async () => {
  const [module] = await Promise.all([import("./views-menu"), popup.load()]);
  return module;
});

export interface ViewsButtonProps {
  /** A list saves what its address says, a table its state. */
  of: ListName | TableTarget;
  /** The id of the view that the address began with. */
  view: string | undefined;
  size?: ButtonSize;
}

/**
 * Saved views: choose one, save what is shown, share it by its link. The menu, and all that it
 * does, is loaded with the first press; or at once for a view's address, to show its name.
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
