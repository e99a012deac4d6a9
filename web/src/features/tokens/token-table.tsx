import { Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Token } from "@/api/types.gen";
import { KeyStatus } from "@/features/keys/key-status";
import { Badge } from "@/ui/badge";
import { IconButton } from "@/ui/icon-button";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Menu, MenuItem } from "@/ui/menu";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { useOwner } from "./queries";
import { scopeName } from "./scopes";

const RevokeToken = lazyDialog(async () => (await import("./revoke-token")).RevokeToken);

/** On a phone everything about a token stands below its label, so that its menu stays in sight. */
export function TokenTable({ caption, tokens }: { caption: string; tokens: readonly Token[] }) {
  const owner = useOwner();
  const [ending, setEnding] = useState<Token>();
  return (
    <>
      <Table caption={caption}>
        <thead>
          <tr>
            <Th>Token</Th>
            <Th className="max-md:hidden">For</Th>
            <Th className="max-md:hidden">May</Th>
            <Th>Status</Th>
            <Th className="max-md:hidden">Last used</Th>
            <Th className="max-md:hidden">Expires</Th>
            <Th className="max-md:hidden">Created</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <Tr key={token.id} className={token.status === "live" ? undefined : "text-muted"}>
              <Td className="py-1.5">
                <span className="block max-w-56 truncate font-medium max-md:max-w-44">{token.label}</span>
                <code className="font-mono text-subtle text-xs">{token.prefix}…</code>
                <span className="block max-w-44 truncate text-muted text-xs md:hidden">{owner(token)}</span>
                <span className="block text-muted text-xs md:hidden">
                  {token.scopes.map(scopeName).join(", ")}
                </span>
                <span className="block text-subtle text-xs md:hidden">
                  {token.last_used_at ? <>used {used(token)}</> : "never used"}
                </span>
              </Td>
              <Td className="max-w-40 truncate max-md:hidden">{owner(token)}</Td>
              <Td className="max-md:hidden">
                <span className="flex flex-wrap gap-1">
                  {token.scopes.map((scope) => (
                    <Badge key={scope}>{scopeName(scope)}</Badge>
                  ))}
                </span>
              </Td>
              <Td>
                <KeyStatus target={token} endClass="md:hidden" />
              </Td>
              <Td className="max-md:hidden">{used(token)}</Td>
              <Td className="max-md:hidden">
                {token.expires_at ? <Time value={token.expires_at} /> : "never"}
              </Td>
              <Td className="max-md:hidden">
                <Time value={token.created_at} />
              </Td>
              <Td className="w-10">
                {token.status === "live" && (
                  <Menu
                    trigger={
                      <IconButton
                        label={`Actions for ${token.label}`}
                        icon={<Ellipsis />}
                        size="sm"
                        tooltip={false}
                      />
                    }
                  >
                    <MenuItem icon={<Trash2 />} danger onSelect={() => setEnding(token)}>
                      Revoke…
                    </MenuItem>
                  </Menu>
                )}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
      {ending && <RevokeToken target={ending} close={() => setEnding(undefined)} />}
    </>
  );
}

function used({ last_used_at }: Token) {
  return last_used_at ? <Time value={last_used_at} /> : "never";
}
