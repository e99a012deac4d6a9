import { ArrowUp, CloudOff } from "lucide-react";
import { Button } from "./button";
import { Time } from "./time";

interface LiveNoteProps {
  /** How many new rows are not shown yet. */
  news?: number | undefined;
  showNews?: () => void;
  /** The polled query. */
  of: {
    data: unknown;
    error: unknown;
    fetchStatus: string;
    dataUpdatedAt: number;
    refetch: () => unknown;
  };
}

/**
 * A note above a list: there are new rows, or the list could not be refreshed and how old it is. It
 * takes no space, so that nothing moves when it appears or disappears; on a phone it floats over the
 * bottom of the screen, where it covers no controls.
 */
export function LiveNote({ news = 0, showNews, of }: LiveNoteProps) {
  const failed = of.data !== undefined && (of.error !== null || of.fetchStatus === "paused");
  return (
    <div
      role="status"
      className="pointer-events-none z-20 flex items-center justify-center gap-2 max-md:fixed max-md:inset-x-3 max-md:bottom-17 md:sticky md:top-16 md:h-0 md:translate-y-3"
    >
      {failed && (
        <span className="pointer-events-auto flex items-center gap-2 rounded-full border border-line bg-raised py-1 pr-1 pl-3 text-warn-ink text-xs shadow-pop">
          <CloudOff className="size-4 shrink-0" aria-hidden />
          <span>
            Could not be refreshed. Last refreshed <Time inline value={new Date(of.dataUpdatedAt)} />.
          </span>
          <Button size="sm" className="rounded-full!" onClick={() => void of.refetch()}>
            Try again
          </Button>
        </span>
      )}
      {news > 0 && (
        <Button
          size="sm"
          variant="primary"
          icon={<ArrowUp aria-hidden />}
          className="pointer-events-auto rounded-full! shadow-pop"
          onClick={() => {
            showNews?.();
            // The button disappears, so the focus moves to the content.
            document.getElementById("main")?.focus({ preventScroll: true });
          }}
        >
          {news} new
        </Button>
      )}
    </div>
  );
}
