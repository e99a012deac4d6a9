import { Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Token } from "@/api/types.gen";
import { KeyStatus } from "@/features/keys/key-status";
import { Badge } from "@/ui/badge";
import { type Column, DataList, type DataListProps } from "@/ui/data-list";
import { IconButton } from "@/ui/icon-button";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Menu, MenuItem } from "@/ui/menu";
import { Time } from "@/ui/time";
import { useOwner } from "./queries";
import { scopeName } from "./scopes";

const RevokeToken = lazyDialog(async () => (await import("./revoke-token")).RevokeToken);

export function TokenList(props: Pick<DataListProps<Token>, "list" | "caption" | "empty">) {
  const owner = useOwner();
  const [ending, setEnding] = useState<Token>();
  return (
    <>
      <DataList
        {...props}
        noun="token"
        idOf={(token) => token.id}
        nameOf={(token) => token.label}
        columns={columns(owner, setEnding)}
        rowClass={(token) => (token.status === "live" ? undefined : "text-muted")}
      />
      {ending && <RevokeToken target={ending} close={() => setEnding(undefined)} />}
    </>
  );
}

// On a phone the details of a token are below its label, so that its menu stays visible.
const columns = (owner: (token: Token) => string, end: (token: Token) => void): Column<Token>[] => [
  {
    id: "token",
    head: "Token",
    className: "py-1.5",
    cell: (token) => (
      <>
        <span className="block max-w-56 truncate font-medium max-md:max-w-44">{token.label}</span>
        <code className="font-mono text-subtle text-xs">{token.prefix}…</code>
        <span className="block max-w-44 truncate text-muted text-xs md:hidden">{owner(token)}</span>
        <span className="block text-muted text-xs md:hidden">{token.scopes.map(scopeName).join(", ")}</span>
        <span className="block text-subtle text-xs md:hidden">
          {token.last_used_at ? <>used {used(token)}</> : "never used"}
        </span>
      </>
    ),
  },
  { id: "for", head: "For", className: "max-w-40 truncate max-md:hidden", cell: owner },
  {
    id: "may",
    head: "May",
    className: "max-md:hidden",
    cell: (token) => (
      <span className="flex flex-wrap gap-1">
        {token.scopes.map((scope) => (
          <Badge key={scope}>{scopeName(scope)}</Badge>
        ))}
      </span>
    ),
  },
  { id: "status", head: "Status", cell: (token) => <KeyStatus target={token} endClass="md:hidden" /> },
  { id: "used", head: "Last used", className: "max-md:hidden", cell: used },
  {
    id: "expires",
    head: "Expires",
    className: "max-md:hidden",
    cell: (token) => (token.expires_at ? <Time value={token.expires_at} /> : "never"),
  },
  {
    id: "created",
    head: "Created",
    className: "max-md:hidden",
    cell: (token) => <Time value={token.created_at} />,
  },
  {
    id: "actions",
    head: "Actions",
    hiddenHead: true,
    className: "w-10",
    cell: (token) =>
      token.status === "live" && (
        <Menu
          trigger={
            <IconButton label={`Actions for ${token.label}`} icon={<Ellipsis />} size="sm" tooltip={false} />
          }
        >
          <MenuItem icon={<Trash2 />} danger onSelect={() => end(token)}>
            Revoke…
          </MenuItem>
        </Menu>
      ),
  },
];

function used({ last_used_at }: Token) {
  return last_used_at ? <Time value={last_used_at} /> : "never";
}
