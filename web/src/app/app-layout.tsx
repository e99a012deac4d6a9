import { useQueries } from "@tanstack/react-query";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Anchor, BookOpenText, Building2, Check, ChevronsUpDown, LogOut, UserRound } from "lucide-react";
import { lazy } from "react";
import { AlertBell } from "@/features/alerts/bell";
import { useSignOut } from "@/features/entry/sign-out";
import { LocaleProvider } from "@/lib/locale";
import { type Place, usePlace } from "@/lib/session";
import type { Command } from "@/ui/command-palette";
import { LeaveGuard } from "@/ui/leave-guard";
import { Menu, MenuGroup, MenuItem, MenuSeparator } from "@/ui/menu";
import type { NavGroup, NavItem } from "@/ui/nav";
import type { NavEntry } from "./area";
import { areas } from "./areas";
import { Layout } from "./layout";

// Not needed before the first key press.
const RecordPalette = lazy(async () => ({
  default: (await import("@/features/search/record-palette")).RecordPalette,
}));

const helpPages = [
  { path: "/docs", label: "Documentation" },
  { path: "/docs/guide/buyers", label: "Guide for buyers" },
  { path: "/docs/guide/approvers", label: "Guide for approvers" },
  { path: "/docs/guide/admins", label: "Guide for Company-Admins" },
  { path: "/docs/guide/integrators", label: "Guide for integrators" },
  { path: "/docs/reference", label: "API reference" },
];

const entries = areas.flatMap((area) => area.nav ?? []);

/** The pages and commands of the workspace, without those that the person's role may not use. */
function useNavigation({ workspace, can }: Place): NavGroup[] {
  const counted = entries.flatMap((entry) =>
    entry.count ? [{ entry, query: entry.count(workspace.id) }] : [],
  );
  const answers = useQueries({ queries: counted.map(({ query }) => query) });
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(/^\/w\/[^/]+/, "") });
  const section = (wanted: NavEntry["section"]): NavItem[] =>
    entries
      .filter(({ section, needs }) => section === wanted && (!needs || needs.some(can)))
      .map((entry) => ({
        ...entry,
        link: {
          to: entry.to,
          params: { workspace: workspace.id, ...(entry.slug && { slug: entry.slug }) },
          ...(entry.exact && { activeOptions: { exact: true, includeSearch: false } }),
        },
        current: entry.also?.test(path) ?? false,
        count: answers[counted.findIndex((one) => one.entry === entry)]?.data,
      }));
  return [
    { items: section("first") },
    { label: "Buy", items: section("buy") },
    { label: "Know", items: section("know") },
    { label: "Data", items: section("data") },
    { label: "Automate", items: section("automate") },
    { label: "Settings", items: section("settings") },
  ];
}

export function AppLayout() {
  const place = usePlace();
  const leave = useSignOut();
  const go = useNavigate();
  const { person, workspace, can } = place;
  const params = { workspace: workspace.id };
  const commands: Command[] = [
    ...places(place).map(({ id, label }) => ({
      id: `workspace-${id}`,
      label: `Switch to ${label}`,
      group: "Workspaces",
      keywords: "company tenant",
      icon: <Anchor />,
      run: () => void go({ to: "/w/$workspace", params: { workspace: id } }),
    })),
    ...areas
      .flatMap((area) => area.commands ?? [])
      .filter(({ needs }) => !needs || needs.some(can))
      .map(({ go: where, ...command }) => ({ ...command, run: () => void go({ ...where, params }) })),
    ...helpPages.map(({ path, label }) => ({
      id: path,
      label,
      group: "Help",
      icon: <BookOpenText />,
      run: () => void window.open(path, "_blank", "noreferrer"),
    })),
    { id: "sign-out", label: "Sign out", group: "You", icon: <LogOut />, run: leave },
  ];
  return (
    <LocaleProvider
      value={{ locale: workspace.locale, currency: workspace.base_currency, timeZone: workspace.time_zone }}
    >
      <Layout
        nav={useNavigation(place)}
        workspace={<WorkspaceSwitcher place={place} />}
        account={
          <>
            <AlertBell />
            <Account name={person.name} email={person.email} leave={leave} />
          </>
        }
        commands={commands}
        palette={RecordPalette}
      >
        <Outlet />
        <LeaveGuard />
      </Layout>
    </LocaleProvider>
  );
}

/** The workspace switcher; it names companies only if the person belongs to several. */
function places({ person, workspace }: Place): { id: string; label: string }[] {
  return person.tenants.flatMap((company) =>
    company.workspaces
      .filter((other) => other.id !== workspace.id)
      .map((other) => ({
        id: other.id,
        label: person.tenants.length > 1 ? `${company.name} / ${other.name}` : other.name,
      })),
  );
}

function WorkspaceSwitcher({ place }: { place: Place }) {
  const go = useNavigate();
  const { person, company, workspace } = place;
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="-ml-1 flex h-9 min-w-0 max-w-full items-center gap-2 rounded-md px-1.5 text-left hover:bg-hover md:w-full"
        >
          <span className="grid size-6 shrink-0 place-items-center rounded-md bg-accent text-on-accent">
            <Anchor className="size-3.5" aria-hidden />
          </span>
          <span className="flex min-w-0 flex-col md:flex-1">
            <span className="truncate font-semibold leading-tight">{company.name}</span>
            <span className="truncate text-subtle text-xs leading-tight">{workspace.name}</span>
          </span>
          <ChevronsUpDown className="size-3.5 shrink-0 text-subtle" aria-hidden />
          <span className="sr-only">Switch workspace</span>
        </button>
      }
    >
      {person.tenants.map((one) => (
        <MenuGroup key={one.id} label={one.name}>
          {one.workspaces.map((other) => (
            <MenuItem
              key={other.id}
              icon={other.id === workspace.id ? <Check aria-label="Current" /> : <Anchor aria-hidden />}
              onSelect={() => void go({ to: "/w/$workspace", params: { workspace: other.id } })}
            >
              {other.name}
            </MenuItem>
          ))}
        </MenuGroup>
      ))}
      <MenuSeparator />
      <MenuItem
        icon={<Building2 />}
        onSelect={() => void go({ to: "/w/$workspace/workspaces", params: { workspace: workspace.id } })}
      >
        Workspaces
      </MenuItem>
    </Menu>
  );
}

function Account({ name, email, leave }: { name: string; email: string; leave: () => void }) {
  const go = useNavigate();
  const { workspace } = usePlace();
  const initials = name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join("");
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Account of ${name}`}
          className="grid size-8 shrink-0 place-items-center rounded-full border border-line bg-accent-soft font-semibold text-accent-ink text-xs"
        >
          {initials}
        </button>
      }
    >
      <MenuGroup label={email}>
        <MenuItem
          icon={<UserRound />}
          onSelect={() => void go({ to: "/w/$workspace/you", params: { workspace: workspace.id } })}
        >
          Profile and sessions
        </MenuItem>
      </MenuGroup>
      <MenuSeparator />
      <MenuItem icon={<LogOut />} onSelect={leave}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
