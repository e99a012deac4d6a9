import { Copy, Download, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { ApiError } from "@/lib/problem";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { Dialog, DialogClose } from "@/ui/dialog";
import { DismissDialog } from "@/ui/dismiss-dialog";
import { Field } from "@/ui/field";
import { IconButton } from "@/ui/icon-button";
import { Input } from "@/ui/input";
import { Menu, MenuCheck, MenuGroup, MenuItem, MenuSeparator } from "@/ui/menu";
import { toast } from "@/ui/toast";
import { Tooltip } from "@/ui/tooltip";
import { Row, Section } from "./section";

function showError() {
  const problem = {
    title: "The order could not be approved",
    detail: "Line 3 has no supplier price in EUR.",
    fix: "Add a price for TEE-BLK-M, or remove the line.",
  };
  toast.error(new ApiError(problem, 422, "01JCQ8Y3M9T5V7"));
}

export function Overlays() {
  const [shown, setShown] = useState({ supplier: true, due: true, total: false });
  const [dismissing, setDismissing] = useState(false);
  return (
    <Section id="overlays" title="Overlays">
      <Row label="Dialogs">
        <Dialog
          title="Receive PO-2236"
          description="Atelier Brume, 6 lines"
          trigger={<Button>Open dialog</Button>}
          footer={
            <>
              <DialogClose>
                <Button>Cancel</Button>
              </DialogClose>
              <DialogClose>
                <Button variant="primary">Receive 4 lines</Button>
              </DialogClose>
            </>
          }
        >
          <div className="flex flex-col gap-4">
            <Field label="Delivery note">
              <Input placeholder="LS-" />
            </Field>
            <Field label="Received at" hint="In the workspace's time zone.">
              <Input type="date" />
            </Field>
          </div>
        </Dialog>
        <Dialog
          title="TEE-BLK-M"
          description="Written by key qs_live_4f… 12 minutes ago"
          placement="right"
          size="md"
          trigger={<Button>Open drawer</Button>}
        >
          <p className="text-muted">A record beside its list.</p>
        </Dialog>
        <ConfirmDialog
          title="Revoke “Shopify production”?"
          confirm="Revoke key"
          onConfirm={() => new Promise((done) => setTimeout(done, 600))}
          trigger={<Button variant="danger">Revoke key</Button>}
        >
          It was used <strong className="font-semibold text-ink">1,204 times</strong> in the last 24 hours.
          Calls with it are refused at once, and this cannot be undone.
        </ConfirmDialog>
        <ConfirmDialog
          title="Delete the workspace?"
          confirm="Delete workspace"
          typeToConfirm="Harbour Goods"
          onConfirm={() => Promise.reject(new ApiError({ detail: "Two imports are still running." }, 409))}
          trigger={<Button variant="ghost">Delete workspace</Button>}
        >
          All tables, orders and keys are removed after seven days.
        </ConfirmDialog>
        <Button onClick={() => setDismissing(true)}>Dismiss…</Button>
        {dismissing && (
          <DismissDialog
            title="Dismiss TEE-BLK-M"
            description="It can be taken back."
            question="Why is it not needed?"
            usual={["A test", "Duplicate"]}
            dismiss={() => Promise.resolve()}
            onClosed={() => setDismissing(false)}
            onDone={() => toast.success("Dismissed TEE-BLK-M")}
          />
        )}
      </Row>
      <Row label="Menu, tooltip">
        <Menu align="start" trigger={<Button>Actions</Button>}>
          <MenuItem icon={<Pencil />} keys="e">
            Edit
          </MenuItem>
          <MenuItem icon={<Copy />}>Duplicate</MenuItem>
          <MenuItem icon={<Download />} disabled>
            Export PDF
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={<Trash2 />} danger>
            Cancel order
          </MenuItem>
        </Menu>
        <Menu align="start" trigger={<Button>Columns</Button>}>
          <MenuGroup label="Columns">
            {(["supplier", "due", "total"] as const).map((name) => (
              <MenuCheck
                key={name}
                checked={shown[name]}
                onCheckedChange={(on) => setShown({ ...shown, [name]: on })}
              >
                {name}
              </MenuCheck>
            ))}
          </MenuGroup>
        </Menu>
        <IconButton label="More actions" icon={<Ellipsis />} variant="secondary" />
        <Tooltip content="Projected stock reaches zero on 3 December">
          <Button variant="ghost">Why this order?</Button>
        </Tooltip>
      </Row>
      <Row label="Toasts">
        <Button onClick={() => toast.success("Purchase order approved")}>Success</Button>
        <Button
          onClick={() =>
            toast.success("12 failures dismissed", {
              undo: () => toast.success("12 failures are open again"),
            })
          }
        >
          Success with undo
        </Button>
        <Button onClick={showError}>Error</Button>
      </Row>
    </Section>
  );
}
