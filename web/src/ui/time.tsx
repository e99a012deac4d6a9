import { cx } from "@/lib/cx";
import { useNow } from "@/lib/live";
import { useLocale } from "@/lib/locale";
import { absoluteTime, relativeTime, widestRelativeTime } from "@/lib/time";
import { Tooltip } from "./tooltip";

interface TimeProps {
  value: string | Date;
  /** Takes only the width of its text, for use inside a sentence. */
  inline?: boolean;
}

/**
 * "5 minutes ago", with the full time on hover, on focus and for screen readers. It is as wide as
 * the longest possible text, so that nothing beside it moves when the text changes.
 */
export function Time({ value, inline }: TimeProps) {
  const { locale, timeZone } = useLocale();
  const now = useNow();
  const date = typeof value === "string" ? new Date(value) : value;
  if (Number.isNaN(date.getTime())) return <span className="text-subtle">–</span>;
  const full = absoluteTime(date, locale, timeZone);
  return (
    <Tooltip content={full}>
      <time
        dateTime={date.toISOString()}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the full time must be reachable by keyboard
        tabIndex={0}
        data-widest={inline ? undefined : widestRelativeTime(locale)}
        className={cx(
          "whitespace-nowrap rounded-sm tabular-nums decoration-edge decoration-dotted underline-offset-4 hover:underline",
          !inline &&
            "inline-flex flex-col after:invisible after:h-0 after:overflow-hidden after:content-[attr(data-widest)]",
        )}
      >
        {relativeTime(date, new Date(now), locale)}
        <span className="sr-only">, {full}</span>
      </time>
    </Tooltip>
  );
}
