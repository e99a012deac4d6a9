import type { LinkProps } from "@tanstack/react-router";
import {
  Anchor,
  BookOpenText,
  Cable,
  ChartLine,
  ChevronsUpDown,
  CircleX,
  Inbox,
  KeyRound,
  LogOut,
  Palette,
  Plus,
  Radio,
  Settings,
  Table2,
  Truck,
  Webhook,
} from "lucide-react";
import type { ReactNode } from "react";
import { Layout } from "@/app/layout";
import { Menu, MenuGroup, MenuItem, MenuSeparator } from "@/ui/menu";
import type { NavGroup } from "@/ui/nav";

// The kit's routes are not in the typed tree, because production does not have them.
const page = (path: string, hash?: string) =>
  ({ to: path, hash, activeOptions: { includeHash: true, exact: true } }) as unknown as LinkProps;
const away = (hash: string) => page("/_kit/screen", hash);

const nav: NavGroup[] = [
  {
    items: [
      { link: page("/_kit/screen"), label: "Data sources", icon: <Cable aria-hidden />, primary: true },
      {
        link: away("failed"),
        label: "Failed imports",
        icon: <CircleX aria-hidden />,
        count: 39,
        primary: true,
      },
      { link: away("tables"), label: "Tables", icon: <Table2 aria-hidden /> },
      { link: away("tail"), label: "Live tail", icon: <Radio aria-hidden /> },
    ],
  },
  {
    label: "Purchasing",
    items: [
      { link: away("queue"), label: "Queue", icon: <Inbox aria-hidden />, count: 12, primary: true },
      { link: away("orders"), label: "Purchase orders", icon: <Truck aria-hidden /> },
      { link: away("insights"), label: "Insights", icon: <ChartLine aria-hidden />, primary: true },
      { link: away("playbook"), label: "Playbook", icon: <BookOpenText aria-hidden /> },
    ],
  },
  {
    label: "Developers",
    items: [
      { link: away("keys"), label: "API keys", icon: <KeyRound aria-hidden /> },
      { link: away("webhooks"), label: "Webhooks", icon: <Webhook aria-hidden /> },
      { link: away("settings"), label: "Settings", icon: <Settings aria-hidden /> },
      { link: page("/_kit"), label: "Components", icon: <Palette aria-hidden /> },
    ],
  },
];

function WorkspaceSwitcher() {
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
          <span className="min-w-0 truncate font-semibold md:flex-1">Harbour Goods</span>
          <ChevronsUpDown className="size-3.5 text-subtle" aria-hidden />
        </button>
      }
    >
      <MenuGroup label="Workspaces">
        <MenuItem>Harbour Goods</MenuItem>
        <MenuItem>Harbour Goods – staging</MenuItem>
      </MenuGroup>
      <MenuSeparator />
      <MenuItem icon={<Plus />}>New workspace</MenuItem>
    </Menu>
  );
}

function Account() {
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label="Account of Mara Lindqvist"
          className="grid size-8 place-items-center rounded-full border border-line bg-accent-soft font-semibold text-accent-ink text-xs"
        >
          ML
        </button>
      }
    >
      <MenuItem icon={<Settings />}>Preferences</MenuItem>
      <MenuItem icon={<LogOut />}>Sign out</MenuItem>
    </Menu>
  );
}

export function KitLayout({ children }: { children: ReactNode }) {
  return (
    <Layout
      nav={nav}
      workspace={<WorkspaceSwitcher />}
      account={<Account />}
      commands={[
        {
          id: "new-key",
          label: "Generate an API key",
          group: "Do",
          icon: <KeyRound />,
          run: () => undefined,
        },
      ]}
    >
      {children}
    </Layout>
  );
}
