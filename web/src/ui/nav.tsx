import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export interface NavItem {
  link: LinkProps;
  label: string;
  /** Synonyms that the palette also matches. */
  keywords?: string;
  icon: ReactNode;
  count?: number | undefined;
  /** Says what the count means, for screen readers. */
  counts?: string;
  /** A sequence such as "g f" that leads there. */
  keys?: string;
  /** Shown in the phone's bottom bar; three fit. */
  primary?: boolean;
  /** Marks the item as current at an address that is not its own. */
  current?: boolean;
}

export interface NavGroup {
  label?: string;
  items: NavItem[];
}

const currentClass = "bg-accent-soft! font-medium text-accent-ink!";

export function Nav({
  groups,
  label,
  onNavigate,
}: {
  groups: NavGroup[];
  label: string;
  onNavigate?: () => void;
}) {
  return (
    <nav aria-label={label} className="flex flex-1 flex-col gap-3 overflow-y-auto px-2 py-2">
      {groups.map((group, index) => (
        <div key={group.label ?? index}>
          {group.label && <p className="px-2 pb-1 font-medium text-subtle text-xs">{group.label}</p>}
          <ul className="flex flex-col gap-px">
            {group.items.map((item) => (
              <li key={item.label}>
                <Link
                  {...item.link}
                  onClick={onNavigate}
                  aria-current={item.current ? "page" : undefined}
                  className={cx(
                    "flex h-7 items-center gap-2.5 rounded-md px-2 text-muted transition-colors hover:bg-hover hover:text-ink",
                    "pointer-coarse:h-11 [&_svg]:size-4 [&_svg]:shrink-0",
                    item.current && currentClass,
                  )}
                  activeProps={{ className: currentClass }}
                >
                  {item.icon}
                  <span className="flex-1 truncate">{item.label}</span>
                  {item.count !== undefined && item.count > 0 && (
                    <span className="rounded-full bg-hover px-1.5 font-medium text-muted text-xs tabular-nums">
                      {item.count > 999 ? "999+" : item.count}
                      {item.counts && <span className="sr-only"> {item.counts}</span>}
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
