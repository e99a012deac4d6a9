import { useRouter, useRouterState } from "@tanstack/react-router";
import { CircleHelp, Search } from "lucide-react";
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { useShortcuts } from "@/lib/shortcuts";
import { AppShell } from "@/ui/app-shell";
import { Brand } from "@/ui/brand";
import type { Command, CommandPaletteProps } from "@/ui/command-palette";
import { IconButton } from "@/ui/icon-button";
import { Keys } from "@/ui/keys";
import type { NavGroup } from "@/ui/nav";
import { ThemeSwitch } from "@/ui/theme-switch";

// Not needed before the first key press.
const CommandPalette = lazy(async () => ({ default: (await import("@/ui/command-palette")).CommandPalette }));
const ShortcutSheet = lazy(async () => ({ default: (await import("@/ui/shortcut-sheet")).ShortcutSheet }));

type Panel = "palette" | "shortcuts" | null;

interface LayoutProps {
  nav: NavGroup[];
  workspace?: ReactNode;
  /** Right of the search: alerts and the account menu. */
  account?: ReactNode;
  commands?: Command[];
  /** Replaces the plain palette with one that finds more than commands. */
  palette?: ComponentType<CommandPaletteProps>;
  children: ReactNode;
}

export function Layout({
  nav,
  workspace = <Brand />,
  account,
  commands = [],
  palette: Palette = CommandPalette,
  children,
}: LayoutProps) {
  const [panel, setPanel] = useState<Panel>(null);
  const router = useRouter();
  const items = nav.flatMap((group) => group.items);
  useFocusOnNavigation();
  useShortcuts([
    { keys: "mod+k", label: "Command palette", run: () => setPanel("palette") },
    { keys: "?", label: "Keyboard shortcuts", run: () => setPanel("shortcuts") },
    ...items.flatMap(({ keys, label, link }) =>
      keys ? [{ keys, label: `Go to ${label}`, run: () => void router.navigate(link) }] : [],
    ),
  ]);

  const pages: Command[] = items.map((item) => ({
    id: `go-${item.label}`,
    label: item.label,
    group: "Go to",
    icon: item.icon,
    ...(item.keys && { keys: item.keys }),
    ...(item.keywords && { keywords: item.keywords }),
    run: () => void router.navigate(item.link),
  }));
  const close = (open: boolean) => !open && setPanel(null);

  return (
    <AppShell
      nav={nav}
      workspace={workspace}
      onSearch={() => setPanel("palette")}
      foot={<ThemeSwitch />}
      topbar={
        <>
          <button
            type="button"
            onClick={() => setPanel("palette")}
            className="flex h-8 items-center gap-2 rounded-md border border-line bg-sunken px-2.5 text-muted hover:bg-hover max-md:hidden md:w-72"
          >
            <Search className="size-4 text-subtle" aria-hidden />
            <span className="flex-1 text-left">Search or jump to…</span>
            <Keys keys="mod+k" />
          </button>
          <span className="flex-1 max-md:hidden" />
          <IconButton
            label="Keyboard shortcuts"
            icon={<CircleHelp />}
            className="max-md:hidden"
            onClick={() => setPanel("shortcuts")}
          />
          {account}
        </>
      }
    >
      {children}
      <Suspense>
        {panel === "palette" && <Palette open onOpenChange={close} commands={[...commands, ...pages]} />}
        {panel === "shortcuts" && <ShortcutSheet open onOpenChange={close} />}
      </Suspense>
    </AppShell>
  );
}

// Screen readers do not notice a page change without a page load. Moving the focus announces it,
// and lets the keyboard start at the new content.
function useFocusOnNavigation() {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const first = useRef<string>(undefined);
  useEffect(() => {
    const main = document.getElementById("main");
    // A person who already works in the new content keeps the focus.
    if (first.current && path && first.current !== path && !main?.contains(document.activeElement))
      main?.focus({ preventScroll: true });
    first.current = path;
  }, [path]);
}
