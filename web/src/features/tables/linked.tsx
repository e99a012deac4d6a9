import type { Label } from "@/api/types.gen";

/** The name and code of a referenced record, or a note that it does not exist. */
export function Linked({ id, label }: { id: string; label: Label | undefined }) {
  if (!label)
    return (
      <span className="text-subtle" title={id}>
        not found
      </span>
    );
  return (
    <>
      {label.label}
      {label.code && <span className="text-muted text-xs"> {label.code}</span>}
    </>
  );
}
