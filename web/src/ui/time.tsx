import { useNow } from "@/lib/clock";
import { useLocale } from "@/lib/locale";
import { absoluteTime, relativeTime } from "@/lib/time";
import { Tooltip } from "./tooltip";

/** "5 minutes ago"; the full moment on hover, on focus and to screen readers. */
export function Time({ value }: { value: string | Date }) {
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
        className="whitespace-nowrap rounded-sm decoration-edge decoration-dotted underline-offset-4 hover:underline"
      >
        {relativeTime(date, new Date(now), locale)}
        <span className="sr-only">, {full}</span>
      </time>
    </Tooltip>
  );
}
