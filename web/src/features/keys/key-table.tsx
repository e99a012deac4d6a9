import { Ellipsis, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Key } from "@/api/types.gen";
import { IconButton } from "@/ui/icon-button";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Menu, MenuItem } from "@/ui/menu";
import { Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { Time } from "@/ui/time";
import { KeyStatus } from "./key-status";
import { everyTable, scopeLabel, useMemberName } from "./queries";

const RevokeKey = lazyDialog(async () => (await import("./revoke-key")).RevokeKey);
const RotateKey = lazyDialog(async () => (await import("./rotate-key")).RotateKey);

interface KeyTableProps {
  caption: string;
  keys: readonly Key[];
  /** Left out where all keys are for one table. */
  withScope?: boolean;
}

export function KeyTable({ caption, keys, withScope }: KeyTableProps) {
  const memberName = useMemberName();
  const [chosen, setChosen] = useState<{ key: Key; act: "rotate" | "revoke" }>();
  return (
    <>
      <Table caption={caption}>
        <thead>
          <tr>
            <Th>Key</Th>
            {withScope && <Th className="max-md:hidden">Writes to</Th>}
            <Th>Status</Th>
            <Th>Last used</Th>
            <Th num className="max-md:hidden">
              Calls, 24 h
            </Th>
            <Th className="max-md:hidden">Created</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <Tr key={key.id} className={key.status === "live" ? undefined : "text-muted"}>
              <Td className="py-1.5">
                <span className="block max-w-56 truncate font-medium">{key.label}</span>
                <code className="font-mono text-subtle text-xs">{key.prefix}…</code>
                {withScope && (
                  <span className="block max-w-40 truncate text-muted text-xs md:hidden">
                    {scopeLabel(key.scope)}
                  </span>
                )}
              </Td>
              {withScope && (
                <Td className="max-md:hidden">
                  {key.scope === everyTable ? scopeLabel(key.scope) : <code>{key.scope}</code>}
                </Td>
              )}
              <Td>
                <KeyStatus target={key} />
              </Td>
              <Td>
                {key.last_used_at ? (
                  <>
                    <Time value={key.last_used_at} />
                    <span className="block text-subtle text-xs">{key.last_used_from}</span>
                  </>
                ) : (
                  "never"
                )}
              </Td>
              <Td num className="max-md:hidden">
                <Num value={key.calls_24h} />
              </Td>
              <Td className="max-md:hidden">
                <Time value={key.created_at} />
                <span className="block max-w-40 truncate text-subtle text-xs">
                  {key.created_by ? memberName(key.created_by) : "command line"}
                </span>
              </Td>
              <Td className="w-10">
                {key.status === "live" && (
                  <Menu
                    trigger={
                      <IconButton
                        label={`Actions for ${key.label}`}
                        icon={<Ellipsis />}
                        size="sm"
                        tooltip={false}
                      />
                    }
                  >
                    {!key.replaced_by && (
                      <MenuItem icon={<RefreshCw />} onSelect={() => setChosen({ key, act: "rotate" })}>
                        Rotate…
                      </MenuItem>
                    )}
                    <MenuItem icon={<Trash2 />} danger onSelect={() => setChosen({ key, act: "revoke" })}>
                      Revoke…
                    </MenuItem>
                  </Menu>
                )}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
      {chosen?.act === "rotate" && <RotateKey target={chosen.key} close={() => setChosen(undefined)} />}
      {chosen?.act === "revoke" && <RevokeKey target={chosen.key} close={() => setChosen(undefined)} />}
    </>
  );
}
