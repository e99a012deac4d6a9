import { useState } from "react";
import { mergeDouble } from "@/api/sdk.gen";
import type { Double } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { movedLines } from "@/messages/articles";
import { ConfirmDialog } from "@/ui/confirm-dialog";
import { Field } from "@/ui/field";
import { Select } from "@/ui/select";
import { toast } from "@/ui/toast";
import { useReloadArticles } from "./doubles-queries";

export interface MergeDialogProps {
  double: Double;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Called with the other article before the lists are loaded again. */
  onMerged?: (into: string) => unknown;
}

/** Merges an article into the one that has its SKU and an external_id. */
export function MergeDialog({ double, open, onOpenChange, onMerged }: MergeDialogProps) {
  const { workspace } = usePlace();
  const reload = useReloadArticles();
  const { others } = double;
  const [chosen, setChosen] = useState(others[0]?.id ?? "");
  const other = others.find(({ id }) => id === chosen) ?? others[0];
  if (!other) return null;
  return (
    <ConfirmDialog
      title={`Merge ${double.name}`}
      confirm="Merge articles"
      tone="primary"
      open={open}
      onOpenChange={onOpenChange}
      onConfirm={async () => {
        const path = { workspace: workspace.id, article: double.id };
        const { data } = await mergeDouble({ path, body: { into: other.id }, throwOnError: true });
        await onMerged?.(data.into);
        void reload();
        toast.success(
          data.lines > 0
            ? `Merged into ${other.name}, with ${movedLines({ count: data.lines }, workspace.locale)}`
            : `Merged into ${other.name}`,
        );
      }}
    >
      <div className="flex flex-col gap-3">
        {others.length > 1 ? (
          <Field label="Into">
            <Select
              value={other.id}
              onValueChange={setChosen}
              options={others.map(({ id, name, external_id }) => ({
                value: id,
                label: `${name} (${external_id})`,
              }))}
            />
          </Field>
        ) : (
          <p>
            Into <strong className="font-medium text-ink">{other.name}</strong>{" "}
            <code className="break-all font-mono text-ink text-xs">{other.external_id}</code>
          </p>
        )}
        <p>
          They become one article. Records that name only the SKU{" "}
          <code className="break-all font-mono text-ink text-xs">{double.sku}</code> update it from now on.
          Its order lines and sales move, approvals stay, and its values fill in what is empty.
        </p>
        <p>This cannot be undone.</p>
      </div>
    </ConfirmDialog>
  );
}
