import { useMutation, useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import {
  Anchor,
  BookOpenText,
  Bot,
  Building2,
  Cable,
  CalendarDays,
  Check,
  ChevronsUpDown,
  ClipboardList,
  FileUp,
  History,
  KeyRound,
  LogOut,
  Rocket,
  ScrollText,
  Table2,
  TriangleAlert,
  UserRound,
  Users,
} from "lucide-react";
import { lazy } from "react";
import { signOutMutation } from "@/api/@tanstack/react-query.gen";
import { AlertBell } from "@/features/alerts/bell";
import { countFailures, openGroupsQuery } from "@/features/failures/open-count";
import { dropAllDrafts } from "@/lib/drafts";
import { LocaleProvider } from "@/lib/locale";
import { type Place, usePlace } from "@/lib/session";
import { useShortcuts } from "@/lib/shortcuts";
import { mayLeave } from "@/lib/unsaved";
import type { Command } from "@/ui/command-palette";
import { LeaveGuard } from "@/ui/leave-guard";
import { Menu, MenuGroup, MenuItem, MenuSeparator } from "@/ui/menu";
import type { NavGroup, NavItem } from "@/ui/nav";
import { toast } from "@/ui/toast";
import { Layout } from "./layout";

// Nobody needs it before the first key press.
const RecordPalette = lazy(async () => ({
  default: (await import("@/features/search/record-palette")).RecordPalette,
}));

/** What one may go to from here. Pages that a role may not use are not offered to it. */
function navigation({ workspace, can }: Place, failures: number | undefined): NavGroup[] {
  const params = { workspace: workspace.id };
  const keys: NavItem = {
    link: { to: "/w/$workspace/keys", params },
    label: "API keys",
    icon: <KeyRound aria-hidden />,
    primary: true,
  };
  const audit: NavItem = {
    link: { to: "/w/$workspace/audit", params },
    label: "Audit log",
    icon: <History aria-hidden />,
  };
  return [
    {
      items: [
        {
          link: { to: "/w/$workspace", params, activeOptions: { exact: true } },
          label: "First steps",
          icon: <Rocket aria-hidden />,
          primary: true,
        },
        {
          link: { to: "/w/$workspace/failures", params },
          label: "Failed imports",
          icon: <TriangleAlert aria-hidden />,
          count: failures,
          counts: "open",
          keys: "g f",
          primary: true,
        },
        {
          link: { to: "/w/$workspace/tables", params },
          label: "Tables",
          icon: <Table2 aria-hidden />,
          primary: true,
        },
        {
          link: { to: "/w/$workspace/purchase-orders", params },
          label: "Purchase orders",
          short: "Orders",
          icon: <ClipboardList aria-hidden />,
          primary: true,
        },
        {
          link: { to: "/w/$workspace/arrivals", params },
          label: "Arrivals",
          icon: <CalendarDays aria-hidden />,
        },
      ],
    },
    {
      label: "Settings",
      items: [
        {
          link: { to: "/w/$workspace/sources", params },
          label: "Data sources",
          icon: <Cable aria-hidden />,
          keys: "g s",
          primary: true,
        },
        ...(can("manage_keys") ? [keys] : []),
        { link: { to: "/w/$workspace/tokens", params }, label: "Assistants", icon: <Bot aria-hidden /> },
        {
          link: { to: "/w/$workspace/purchasing", params },
          label: "Purchasing",
          icon: <ScrollText aria-hidden />,
        },
        { link: { to: "/w/$workspace/members", params }, label: "Members", icon: <Users aria-hidden /> },
        {
          link: { to: "/w/$workspace/workspaces", params },
          label: "Workspaces",
          icon: <Building2 aria-hidden />,
        },
        ...(can("read_audit") ? [audit] : []),
        { link: { to: "/w/$workspace/you", params }, label: "You", icon: <UserRound aria-hidden /> },
      ],
    },
  ];
}

export function AppLayout() {
  const place = usePlace();
  const leave = useSignOut();
  const go = useNavigate();
  const { person, workspace } = place;
  const params = { workspace: workspace.id };
  useShortcuts([
    {
      keys: "g p",
      label: "Purchase orders",
      group: "Go to",
      run: () => void go({ to: "/w/$workspace/purchase-orders", params }),
    },
    {
      keys: "g a",
      label: "Arrivals",
      group: "Go to",
      run: () => void go({ to: "/w/$workspace/arrivals", params }),
    },
  ]);
  const failures = countFailures(useQuery(openGroupsQuery(workspace.id)).data);
  const commands: Command[] = [
    ...places(place).map(({ id, label }) => ({
      id: `workspace-${id}`,
      label: `Switch to ${label}`,
      group: "Workspaces",
      keywords: "company tenant",
      icon: <Anchor />,
      run: () => void go({ to: "/w/$workspace", params: { workspace: id } }),
    })),
    ...(["pending_approval", "overdue"] as const).map((tab) => ({
      id: `orders-${tab}`,
      label: tab === "overdue" ? "Overdue orders" : "Orders pending approval",
      group: "Purchasing",
      keywords: "purchase approve late",
      icon: <ClipboardList />,
      run: () => void go({ to: "/w/$workspace/purchase-orders", params, search: { tab } }),
    })),
    {
      id: "bulk-retries",
      label: "Bulk retries",
      group: "Go to",
      keywords: "failed imports progress",
      icon: <History />,
      run: () => void go({ to: "/w/$workspace/failures/retries", params: { workspace: workspace.id } }),
    },
    {
      id: "ignored-imports",
      label: "Ignored imports",
      group: "Go to",
      keywords: "failed dismissed",
      icon: <TriangleAlert />,
      run: () =>
        void go({
          to: "/w/$workspace/failures",
          params: { workspace: workspace.id },
          search: { status: "ignored" },
        }),
    },
    {
      id: "imports",
      label: "File imports",
      group: "Go to",
      keywords: "csv excel upload",
      icon: <FileUp />,
      run: () => void go({ to: "/w/$workspace/imports", params: { workspace: workspace.id } }),
    },
    {
      id: "api",
      label: "API reference",
      group: "Help",
      icon: <BookOpenText />,
      run: () => void window.open("/docs", "_blank", "noreferrer"),
    },
    { id: "sign-out", label: "Sign out", group: "You", icon: <LogOut />, run: leave },
  ];
  return (
    <LocaleProvider
      value={{ locale: workspace.locale, currency: workspace.base_currency, timeZone: workspace.time_zone }}
    >
      <Layout
        nav={navigation(place, failures)}
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

/** The other workspaces, with their company's name where there are several companies. */
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

export function useSignOut(): () => Promise<void> {
  const { mutate } = useMutation({
    ...signOutMutation(),
    // A load of the page, so that nothing of this person's stays in memory.
    onSuccess: () => {
      dropAllDrafts();
      location.assign("/sign-in");
    },
    onError: (error) => toast.error(error, "You are still signed in"),
  });
  return async () => {
    if (await mayLeave()) mutate({});
  };
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
