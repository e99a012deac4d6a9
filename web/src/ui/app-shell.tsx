import { Link } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useLocale } from "@/lib/locale";
import { moreInbox } from "@/messages/common";
import { Nav, type NavGroup } from "./nav";

const NavDrawer = lazy(async () => ({ default: (await import("./nav-drawer")).NavDrawer }));

interface AppShellProps {
  nav: NavGroup[];
  /** The workspace switcher, at the top of the navigation. */
  workspace: ReactNode;
  /** Opens the search, from the phone's bar. */
  onSearch: () => void;
  /** Search, help and the account, on the right of the top bar. */
  topbar: ReactNode;
  /** Theme and version, at the bottom of the navigation. */
  foot?: ReactNode;
  children: ReactNode;
}

export function AppShell({ nav, workspace, onSearch, topbar, foot, children }: AppShellProps) {
  const [drawer, setDrawer] = useState(false);
  const { locale } = useLocale();
  const primary = nav
    .flatMap((g) => g.items)
    .filter((i) => i.primary)
    .slice(0, 3);
  // What waits for the person, of the pages that are not in the bar.
  const behind = nav[0]?.items.find((item) => !item.primary && item.count)?.count;
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[14.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="fixed top-2 left-2 z-60 -translate-y-16 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <aside
        aria-label="Sidebar"
        className="sticky top-0 hidden h-dvh flex-col border-line border-r bg-canvas md:flex"
      >
        <div className="flex h-13 items-center px-3">{workspace}</div>
        <Nav groups={nav} label="Main" />
        {foot && <div className="flex items-center justify-between gap-2 px-3 py-3">{foot}</div>}
      </aside>
      <div className="flex min-w-0 flex-col bg-surface max-md:min-h-dvh max-md:pb-[calc(3.5rem+env(safe-area-inset-bottom))]">
        <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-line border-b bg-surface px-4 md:px-6">
          <div className="min-w-0 flex-1 md:hidden">{workspace}</div>
          {topbar}
        </header>
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          {children}
        </main>
      </div>
      <nav
        aria-label="Quick"
        className="fixed inset-x-0 bottom-0 z-30 flex border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {primary.map((item) => (
          <Link
            key={item.label}
            {...item.link}
            className={barClass}
            activeProps={{ className: "text-accent-ink!" }}
          >
            <span className="relative">
              {item.icon}
              {item.count ? <Dot /> : null}
            </span>
            {item.label}
          </Link>
        ))}
        <button type="button" className={barClass} onClick={onSearch}>
          <Search aria-hidden />
          Search
        </button>
        <button
          type="button"
          className={barClass}
          onClick={() => setDrawer(true)}
          aria-label={behind ? moreInbox({ count: behind }, locale) : undefined}
        >
          <span className="relative">
            <MenuIcon aria-hidden />
            {behind ? <Dot /> : null}
          </span>
          More
        </button>
      </nav>
      {drawer && (
        <Suspense>
          <NavDrawer nav={nav} foot={foot} onClose={() => setDrawer(false)} />
        </Suspense>
      )}
    </div>
  );
}

const barClass =
  "flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-1 text-[0.6875rem] leading-none font-medium text-muted -outline-offset-2! [&_svg]:size-5";

function Dot() {
  return <span className="absolute -top-0.5 -right-1 size-2 rounded-full bg-bad ring-2 ring-surface" />;
}
