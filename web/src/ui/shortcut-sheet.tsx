import { useRegisteredShortcuts, useSingleKeys } from "@/lib/shortcuts";
import { Checkbox } from "./checkbox";
import { Dialog } from "./dialog";
import { Keys } from "./keys";

interface ShortcutSheetProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Lists the shortcuts that the current page has registered, so it is never out of date. */
export function ShortcutSheet({ open, onOpenChange }: ShortcutSheetProps) {
  const shortcuts = useRegisteredShortcuts();
  const [singleKeys, setSingleKeys] = useSingleKeys();
  const groups = Map.groupBy(shortcuts, (s) => s.group ?? "Everywhere");
  return (
    <Dialog title="Keyboard shortcuts" open={open} onOpenChange={onOpenChange} size="md">
      <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {[...groups].map(([group, list]) => (
          <section key={group}>
            <h3 className="mb-1.5 font-medium text-subtle text-xs">{group}</h3>
            <dl>
              {list.map((shortcut) => (
                <div
                  key={shortcut.keys}
                  className="flex min-h-8 items-center justify-between gap-4 border-line border-b last:border-0"
                >
                  <dt>{shortcut.label}</dt>
                  <dd>
                    <Keys keys={shortcut.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="mt-5 border-line border-t pt-4">
        <Checkbox
          label="Single-key shortcuts"
          hint="Switch off when you dictate, or press keys by accident."
          checked={singleKeys}
          onCheckedChange={setSingleKeys}
        />
      </div>
    </Dialog>
  );
}
