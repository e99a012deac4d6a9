import { TriangleAlert } from "lucide-react";

export function MasterWarning() {
  return (
    <p className="flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <span>
        A Master Import Key writes to every table, including tables added later. Anyone who has it can
        overwrite any record that a system sent. Give each system a key for its own table where you can.
      </span>
    </p>
  );
}
