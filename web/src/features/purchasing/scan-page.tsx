import { Link } from "@tanstack/react-router";
import { Camera as CameraIcon, ChevronLeft, Minus, Plus, ScanBarcode } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { findArrivals, getPurchaseOrderLine, receiveLines } from "@/api/sdk.gen";
import type { Line } from "@/api/types.gen";
import { add } from "@/lib/decimal";
import { useEdit } from "@/lib/edit";
import { type ApiError, toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { linesReceived, linesToBook } from "@/messages/purchasing";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { IconButton } from "@/ui/icon-button";
import { Input } from "@/ui/input";
import { Num } from "@/ui/num";
import { Page } from "@/ui/page";
import { toast } from "@/ui/toast";
import { hasCamera } from "./camera-scan";
import { LineName } from "./line-name";
import { Refusal } from "./parts";
import { useReloadPurchasing } from "./queries";
import { type Counted, count, refresh, setCount } from "./scan";

const Camera = lazy(() => import("./camera"));

/** Books a delivery by scanning what is in it: a scanner types the code and presses Enter. */
export function ScanPage() {
  const { workspace } = usePlace();
  const scan = useScan();
  const { counted } = scan;
  return (
    <Page
      title="Receive by barcode"
      description="Scan or type the barcode, SKU or supplier's SKU. Each scan counts one piece."
      above={
        <Link
          to="/w/$workspace/arrivals"
          params={{ workspace: workspace.id }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          Arrivals
        </Link>
      }
    >
      <CodeField scan={scan} />
      {hasCamera() && <CameraScan scan={scan} />}
      {counted.length === 0 ? (
        <p className="text-muted">What you scan is listed here, and booked when you say so.</p>
      ) : (
        <>
          <ul
            aria-label="Counted"
            className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card"
          >
            {counted.map((one) => (
              <CountedLine key={one.line.id} {...one} set={(quantity) => scan.set(one.line.id, quantity)} />
            ))}
          </ul>
          <Booking scan={scan} />
        </>
      )}
    </Page>
  );
}

type Scan = ReturnType<typeof useScan>;

interface Delivery {
  counted: Counted[];
  /** The person confirmed that far more arrived than was ordered. */
  over: boolean;
}

function useScan() {
  const { workspace } = usePlace();
  const reload = useReloadPurchasing();
  const path = { workspace: workspace.id };
  const [looking, setLooking] = useState(false);
  const [unknown, setUnknown] = useState<string | ApiError>();
  const { session, draft, failure, saving } = useEdit<Delivery, null>("receive", {
    seen: null,
    toDraft: () => ({ counted: [], over: false }),
    save: async ({ counted, over }) => {
      const lines = counted.map(({ line, quantity }) => ({ id: line.id, version: line.version, quantity }));
      await receiveLines({ path, body: { lines, ...(over && { over }) }, throwOnError: true });
      toast.success(linesReceived({ count: lines.length }, workspace.locale));
      return undefined;
    },
    onSaved: () => {
      session.type({ counted: [], over: false });
      void reload();
    },
  });
  const type = (counted: Counted[]) => session.type({ counted, over: false });
  return {
    counted: draft.counted,
    over: draft.over,
    looking,
    unknown,
    failure,
    saving,
    set: (id: string, quantity: string) => type(setCount(session.state.draft.counted, id, quantity)),
    book: (over = draft.over) => {
      session.type({ ...session.state.draft, over });
      void session.save();
    },
    /** Reads the lines again after somebody else changed one. */
    again: async () => {
      const read = session.state.draft.counted.map(({ line }) =>
        getPurchaseOrderLine({ path: { ...path, line: line.id }, throwOnError: true }),
      );
      const now = await Promise.all(read);
      type(
        refresh(
          session.state.draft.counted,
          now.map(({ data }) => data),
        ),
      );
    },
    /** Counts a piece; resolves to whether the code was found. */
    piece: async (code: string): Promise<boolean> => {
      setLooking(true);
      setUnknown(undefined);
      try {
        const { data } = await findArrivals({ path, query: { code }, throwOnError: true });
        const found = data.items.filter((line) => line.actions.includes("receive"));
        if (found.length === 0) setUnknown(code);
        else type(count(session.state.draft.counted, found));
        return found.length > 0;
      } catch (error) {
        setUnknown(toApiError(error));
        return false;
      } finally {
        setLooking(false);
      }
    },
  };
}

function CodeField({ scan }: { scan: Scan }) {
  const [code, setCode] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const { unknown } = scan;
  const error =
    typeof unknown === "string" ? `No line that is still to come has the code ${unknown}.` : unknown?.message;
  return (
    <form
      noValidate
      className="mb-4 max-w-120"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = code.trim();
        if (!typed) return;
        // The next scan may come before this one is looked up.
        setCode("");
        input.current?.focus();
        void scan.piece(typed);
      }}
    >
      <Field label="Code" error={error}>
        <Input
          ref={input}
          autoFocus
          mono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="done"
          maxLength={200}
          className="max-md:h-12"
          lead={<ScanBarcode aria-hidden />}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      </Field>
    </form>
  );
}

/** The phone's camera in place of a scanner, where the browser can read codes. */
function CameraScan({ scan }: { scan: Scan }) {
  const [open, setOpen] = useState(false);
  if (!open)
    return (
      <Button
        icon={<CameraIcon aria-hidden />}
        className="mb-4 max-md:h-12 max-md:w-full"
        onClick={() => setOpen(true)}
      >
        Scan with camera
      </Button>
    );
  return (
    <Suspense>
      <Camera onCode={(code) => void scan.piece(code)} onClosed={() => setOpen(false)} />
    </Suspense>
  );
}

interface CountedLineProps {
  line: Line;
  quantity: string;
  set: (quantity: string) => void;
}

/** One line with large buttons, for a thumb. */
function CountedLine({ line, quantity, set }: CountedLineProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="min-w-40 flex-1">
        <LineName line={line} />
        <span className="text-subtle text-xs">
          {line.order_no} · {line.supplier_name ?? "no supplier"}
        </span>
      </span>
      <span className="flex items-center gap-2">
        <IconButton
          label={`One less of ${line.sku}`}
          icon={<Minus aria-hidden />}
          className="size-11"
          onClick={() => set(add(quantity, "-1"))}
        />
        <span className="min-w-16 text-center">
          <output aria-label={`Counted of ${line.sku}`} className="font-semibold text-lg tabular-nums">
            <Num value={quantity} />
          </output>{" "}
          <span className="text-muted">
            of <Num value={line.quantity_open} />
          </span>
        </span>
        <IconButton
          label={`One more of ${line.sku}`}
          icon={<Plus aria-hidden />}
          className="size-11"
          onClick={() => set(add(quantity, "1"))}
        />
        <Button className="h-11" onClick={() => set(line.quantity_open)}>
          All
        </Button>
      </span>
    </li>
  );
}

function Booking({ scan }: { scan: Scan }) {
  const { workspace } = usePlace();
  const { failure } = scan;
  return (
    <section
      aria-label="Booking"
      className="sticky bottom-3 z-20 mt-3 flex flex-col gap-2 rounded-lg border border-line bg-raised p-2 shadow-pop max-md:bottom-17"
    >
      {failure && (
        <Refusal error={failure}>
          {failure.code === "over_receipt" && (
            <Button className="mt-2 max-md:h-11" loading={scan.saving} onClick={() => scan.book(true)}>
              Yes, that many arrived
            </Button>
          )}
          {failure.code === "stale" && (
            <Button className="mt-2 max-md:h-11" onClick={() => void scan.again()}>
              Look again
            </Button>
          )}
        </Refusal>
      )}
      <Button
        variant="primary"
        className="w-full max-md:h-12"
        loading={scan.saving}
        disabled={scan.looking}
        onClick={() => scan.book(false)}
      >
        {linesToBook({ count: scan.counted.length }, workspace.locale)}
      </Button>
    </section>
  );
}
