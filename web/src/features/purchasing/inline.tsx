import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { editLineMutation } from "@/api/@tanstack/react-query.gen";
import type { Line, LineFields } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { typedDecimal } from "@/lib/decimal";
import { type ApiError, toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";
import { editable, editWarning, fieldName, statusWord } from "./model";
import { SupplierPicker } from "./pickers";
import { useReloadPurchasing } from "./queries";

export type InlineField =
  | "quantity_ordered"
  | "price_per_unit"
  | "currency"
  | "expected_arrival_date"
  | "note"
  | "supplier_id";

interface InlineProps {
  line: Line;
  field: InlineField;
  /** How the value looks while it is not edited. */
  children: ReactNode;
  num?: boolean;
}

/** Saves one field of a line, and says so when that moved the line. */
function useSaveField(line: Line) {
  const { workspace } = usePlace();
  const { mutateAsync, isPending } = useMutation(editLineMutation());
  const reload = useReloadPurchasing();
  async function save(change: LineFields): Promise<ApiError | undefined> {
    try {
      const after = await mutateAsync({
        path: { workspace: workspace.id, line: line.id },
        headers: { "If-Match": `"${line.version}"` },
        body: change,
      });
      if (after.status !== line.status)
        toast.success(`${line.sku} is ${statusWord(after.status)} now`, {
          description:
            after.status === "draft"
              ? "The amount changed, so it must be submitted again."
              : "It changed by more than the rules allow, so it needs approval again.",
        });
      await reload();
      return undefined;
    } catch (cause) {
      return toApiError(cause);
    }
  }
  return { save, saving: isPending, reload };
}

/** A value that is edited where it stands: Enter edits and saves, Tab saves, Esc leaves it. */
export function Inline(props: InlineProps) {
  const { line, field, children, num } = props;
  const [editing, setEditing] = useState(false);
  const shown = useRef<HTMLButtonElement>(null);
  // As high as the button would be, so that a row's values stand on one line.
  if (!editable(line, field)) return <span className="inline-block py-1">{children}</span>;
  if (editing)
    return (
      <Editor
        {...props}
        leave={(back) => {
          setEditing(false);
          if (back) requestAnimationFrame(() => shown.current?.focus());
        }}
      />
    );
  return (
    <button
      ref={shown}
      type="button"
      onClick={() => setEditing(true)}
      className={cx(
        "-mx-1.5 min-h-7 rounded-md border border-transparent px-1.5 hover:border-edge hover:bg-surface pointer-coarse:min-h-10",
        num ? "whitespace-nowrap text-right" : "text-left",
      )}
    >
      {children}
      <span className="sr-only">
        , edit {fieldName(field).toLowerCase()} of {line.sku}
      </span>
    </button>
  );
}

interface EditorProps extends InlineProps {
  leave: (back: boolean) => void;
}

const decimals = new Set<InlineField>(["quantity_ordered", "price_per_unit"]);

function Editor({ line, field, num, leave }: EditorProps) {
  const before = line[field] ?? "";
  const [value, setValue] = useState(before);
  const [failure, setFailure] = useState<ApiError>();
  const { save, saving, reload } = useSaveField(line);
  const left = useRef(false);

  async function commit(next: string, back: boolean) {
    if (left.current || saving) return;
    const wanted = decimals.has(field)
      ? typedDecimal(next)
      : field === "currency"
        ? next.toUpperCase()
        : next;
    if (wanted === before) {
      left.current = true;
      return leave(back);
    }
    const error = await save({ [field]: wanted });
    setFailure(error);
    if (!error) {
      left.current = true;
      leave(back);
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      left.current = true;
      leave(true);
    } else if (event.key === "Enter") {
      event.preventDefault();
      void commit(value, true);
    }
  }

  const label = `${fieldName(field)} of ${line.sku}`;
  const warning = editWarning(line.status, field);
  return (
    <span className={cx("block", num ? "min-w-24" : "min-w-32")}>
      {field === "supplier_id" ? (
        <SupplierPicker
          label={label}
          initial={line.supplier_name ?? ""}
          autoFocus
          onKeyDown={(event) => event.key === "Escape" && onKeyDown(event)}
          onPick={(supplier) => void commit(supplier.id, true)}
        />
      ) : (
        <Input
          aria-label={label}
          type={field === "expected_arrival_date" ? "date" : "text"}
          inputMode={num ? "decimal" : undefined}
          maxLength={field === "note" ? 2000 : field === "currency" ? 3 : 30}
          autoComplete="off"
          autoFocus
          aria-invalid={failure !== undefined}
          className={cx(num && "text-right")}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onKeyDown={onKeyDown}
          // Tab and a click elsewhere save; what was refused stays until Esc.
          onBlur={() => !failure && void commit(value, false)}
        />
      )}
      {warning && !failure && <span className="mt-1 block text-muted text-xs">{warning}</span>}
      {failure && (
        <Refused
          failure={failure}
          line={line}
          field={field}
          reload={reload}
          again={() => setFailure(undefined)}
        />
      )}
    </span>
  );
}

interface RefusedProps {
  failure: ApiError;
  line: Line;
  field: InlineField;
  reload: () => Promise<void>;
  again: () => void;
}

function Refused({ failure, line, field, reload, again }: RefusedProps) {
  const stale = failure.status === 412;
  const [loaded, setLoaded] = useState(false);
  const now = field === "supplier_id" ? line.supplier_name : line[field];
  return (
    <span role="alert" className="mt-1 block text-bad-ink text-xs">
      {stale
        ? "Changed since you saw it; yours is not saved."
        : (failure.fieldError(field) ?? failure.message)}
      {stale && loaded && ` It is ${now || "empty"} now. Press Enter to save yours, Esc to leave it.`}
      {stale && !loaded && (
        <Button
          size="sm"
          className="mt-1 block"
          onClick={async () => {
            await reload();
            setLoaded(true);
          }}
        >
          Reload
        </Button>
      )}
      {!stale && (
        <Button size="sm" className="mt-1 block" onClick={again}>
          Change it
        </Button>
      )}
    </span>
  );
}
