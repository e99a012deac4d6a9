import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Hold } from "@/lib/live";
import { Keys } from "./keys";
import type { MenuCheckProps, MenuItemProps, MenuProps } from "./menu";
import { useOpenedSide } from "./opened-side";

const itemClass =
  "flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none select-none data-disabled:text-subtle data-highlighted:bg-hover pointer-coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0";

export function Menu({ trigger, triggerRef, align = "end", side = "bottom", children }: MenuProps) {
  const { popup, remember, placed } = useOpenedSide(side);
  return (
    <Base.Root onOpenChangeComplete={remember}>
      <Base.Trigger ref={triggerRef} render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} {...placed} sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup ref={popup} className="pop max-h-(--available-height) min-w-44 overflow-y-auto p-1">
            <Hold />
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function MenuItem({ icon, keys, danger, disabled, onSelect, link, children }: MenuItemProps) {
  return (
    <Base.Item
      disabled={disabled}
      onClick={onSelect}
      render={link}
      className={cx(itemClass, danger ? "text-bad-ink data-highlighted:bg-bad-soft" : "[&_svg]:text-subtle")}
    >
      {icon}
      <span className="flex-1">{children}</span>
      {keys && <Keys keys={keys} />}
    </Base.Item>
  );
}

export function MenuCheck({ checked, onCheckedChange, children }: MenuCheckProps) {
  return (
    <Base.CheckboxItem
      checked={checked}
      onCheckedChange={onCheckedChange}
      closeOnClick={false}
      className={itemClass}
    >
      <span className="flex size-4 text-accent-ink">
        <Base.CheckboxItemIndicator>
          <Check aria-hidden />
        </Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  );
}

export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2 pt-1.5 pb-1 font-medium text-subtle text-xs">{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}

export function MenuSeparator() {
  return <Base.Separator className="-mx-1 my-1 h-px bg-line" />;
}
