import type { Label } from "@/api/types.gen";

/** What a record is called where another refers to it, and its code. One that is not there says so. */
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
