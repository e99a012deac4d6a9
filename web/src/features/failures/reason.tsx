import { reasonLabel } from "./reasons";

/** Why a record was not stored: the reason, and the field if there is one. */
export function Reason({ code, field }: { code: string; field?: string | undefined }) {
  return (
    <>
      <span className="font-medium">{reasonLabel(code)}</span>
      {field && (
        <>
          {" "}
          <code className="rounded-sm bg-sunken px-1 py-px font-mono text-xs ring-1 ring-line ring-inset">
            {field}
          </code>
        </>
      )}
    </>
  );
}
