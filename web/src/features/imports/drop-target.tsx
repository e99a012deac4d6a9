import { useNavigate } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { usePlace } from "@/lib/session";
import { dragsFiles, handOver, readDrop } from "./files";

interface DropTargetProps {
  table: string;
  title: string;
  children: ReactNode;
}

/** Accepts a file dropped on its children, to import it into a table, if the person may import. */
export function DropTarget({ table, title, children }: DropTargetProps) {
  const { workspace, can } = usePlace();
  const go = useNavigate();
  const [over, setOver] = useState(false);
  // The pointer enters the next child before it leaves the previous one.
  const depth = useRef(0);
  if (!can("import_records")) return children;

  const leave = () => {
    depth.current = 0;
    setOver(false);
  };
  const accept = (event: DragEvent) => {
    if (!dragsFiles(event.dataTransfer)) return false;
    event.preventDefault();
    return true;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button on the card does the same by keyboard
    <div
      className="relative grid min-w-0"
      onDragEnter={(event) => {
        if (!accept(event)) return;
        depth.current += 1;
        setOver(true);
      }}
      onDragOver={(event) => {
        if (accept(event)) event.dataTransfer.dropEffect = "copy";
      }}
      onDragLeave={() => {
        depth.current -= 1;
        if (depth.current <= 0) leave();
      }}
      onDrop={(event) => {
        if (!accept(event)) return;
        leave();
        handOver(table, readDrop(event.dataTransfer));
        void go({
          to: "/w/$workspace/sources/$slug/import",
          params: { workspace: workspace.id, slug: table },
        });
      }}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-0 grid place-items-center rounded-lg border-2 border-accent border-dashed bg-accent-soft/95 font-medium text-accent-ink">
          <span className="flex items-center gap-2">
            <FileUp className="size-5" aria-hidden />
            Drop to import into {title}
          </span>
        </div>
      )}
    </div>
  );
}

/** Stops browsers from opening a file that is dropped beside a target. */
export function useMissedDrops(enabled: boolean): void {
  useEffect(() => {
    if (!enabled) return;
    const swallow = (event: globalThis.DragEvent) => {
      if (event.defaultPrevented || !dragsFiles(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
    };
    addEventListener("dragover", swallow);
    addEventListener("drop", swallow);
    return () => {
      removeEventListener("dragover", swallow);
      removeEventListener("drop", swallow);
    };
  }, [enabled]);
}
