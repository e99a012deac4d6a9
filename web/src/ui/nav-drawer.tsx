import { type ReactNode, useState } from "react";
import { Dialog } from "./dialog";
import { Nav, type NavGroup } from "./nav";

interface NavDrawerProps {
  nav: NavGroup[];
  foot?: ReactNode;
  onClose: () => void;
}

/** The whole navigation on a phone. Loaded when it is first opened. */
export function NavDrawer({ nav, foot, onClose }: NavDrawerProps) {
  const [open, setOpen] = useState(true);
  return (
    <Dialog title="Navigation" placement="left" open={open} onOpenChange={setOpen} onClosed={onClose}>
      <div className="-mx-3 flex h-full flex-col">
        <Nav groups={nav} label="All pages" onNavigate={() => setOpen(false)} />
        {foot && <div className="flex items-center justify-between gap-2 px-2 pt-4">{foot}</div>}
      </div>
    </Dialog>
  );
}
