import { Ellipsis, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Key } from "@/api/types.gen";
import { useMemberName } from "@/features/members/queries";
import { type Column, DataList, type DataListProps } from "@/ui/data-list";
import { IconButton } from "@/ui/icon-button";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Menu, MenuItem } from "@/ui/menu";
import { Num } from "@/ui/num";
import { Time } from "@/ui/time";
import { KeyStatus } from "./key-status";
import { everyTable, scopeLabel } from "./queries";

const RevokeKey = lazyDialog(async () => (await import("./revoke-key")).RevokeKey);
const RotateKey = lazyDialog(async () => (await import("./rotate-key")).RotateKey);

interface KeyListProps
  extends Pick<DataListProps<Key>, "list" | "caption" | "empty" | "title" | "actions" | "footer" | "bare"> {
  /** Shows the table of each key, unless all are for one table. */
  withScope?: boolean;
}

export function KeyList({ withScope = false, ...rest }: KeyListProps) {
  const memberName = useMemberName();
  const [chosen, setChosen] = useState<Chosen>();
  return (
    <>
      <DataList
        {...rest}
        noun="key"
        idOf={(key) => key.id}
        nameOf={(key) => key.label}
        columns={columns(withScope, memberName, setChosen)}
        rowClass={(key) => (key.status === "live" ? undefined : "text-muted")}
      />
      {chosen?.act === "rotate" && <RotateKey target={chosen.key} close={() => setChosen(undefined)} />}
      {chosen?.act === "revoke" && <RevokeKey target={chosen.key} close={() => setChosen(undefined)} />}
    </>
  );
}

interface Chosen {
  key: Key;
  act: "rotate" | "revoke";
}

// On a phone the details of a key are below its label, so that its menu stays visible.
const columns = (
  withScope: boolean,
  memberName: (id: string) => string,
  choose: (chosen: Chosen) => void,
): Column<Key>[] => [
  {
    id: "key",
    head: "Key",
    className: "py-1.5",
    cell: (key) => (
      <>
        <span className="block max-w-56 truncate font-medium">{key.label}</span>
        <code className="font-mono text-subtle text-xs">{key.prefix}…</code>
        {key.order_drafted_here && (
          <span className="block text-warn-ink text-xs">may order what was drafted here</span>
        )}
        {withScope && (
          <span className="block max-w-40 truncate text-muted text-xs md:hidden">
            {scopeLabel(key.scope)}
          </span>
        )}
        <span className="block text-subtle text-xs md:hidden">
          {key.last_used_at ? (
            <>
              used <Time value={key.last_used_at} />
            </>
          ) : (
            "never used"
          )}
        </span>
      </>
    ),
  },
  ...(withScope
    ? [
        {
          id: "scope",
          head: "Writes to",
          className: "max-md:hidden",
          cell: ({ scope }: Key) => (scope === everyTable ? scopeLabel(scope) : <code>{scope}</code>),
        },
      ]
    : []),
  { id: "status", head: "Status", cell: (key) => <KeyStatus target={key} /> },
  {
    id: "used",
    head: "Last used",
    className: "max-md:hidden",
    cell: (key) =>
      key.last_used_at ? (
        <>
          <Time value={key.last_used_at} />
          <span className="block text-subtle text-xs">{key.last_used_from}</span>
        </>
      ) : (
        "never"
      ),
  },
  {
    id: "calls",
    head: "Calls, 24 h",
    num: true,
    className: "max-md:hidden",
    cell: (key) => <Num value={key.calls_24h} />,
  },
  {
    id: "created",
    head: "Created",
    className: "max-md:hidden",
    cell: (key) => (
      <>
        <Time value={key.created_at} />
        <span className="block max-w-40 truncate text-subtle text-xs">
          {key.created_by ? memberName(key.created_by) : "command line"}
        </span>
      </>
    ),
  },
  {
    id: "actions",
    head: "Actions",
    hiddenHead: true,
    className: "w-10",
    cell: (key) => key.status === "live" && <KeyMenu target={key} choose={choose} />,
  },
];

function KeyMenu({ target: key, choose }: { target: Key; choose: (chosen: Chosen) => void }) {
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${key.label}`} icon={<Ellipsis />} size="sm" tooltip={false} />
      }
    >
      {!key.replaced_by && (
        <MenuItem icon={<RefreshCw />} onSelect={() => choose({ key, act: "rotate" })}>
          Rotate…
        </MenuItem>
      )}
      <MenuItem icon={<Trash2 />} danger onSelect={() => choose({ key, act: "revoke" })}>
        Revoke…
      </MenuItem>
    </Menu>
  );
}
