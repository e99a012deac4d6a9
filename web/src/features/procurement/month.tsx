import type { Month } from "@/api/types.gen";
import { LeftOut } from "@/features/purchasing/left-out";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { monthWords } from "./words";

/** What is spent this month, and what is left of its budget. */
export function MonthLine({ month }: { month: Month }) {
  const { locale } = useLocale();
  const { spent, left, notCounted } = monthWords(month, locale);
  return (
    <span className={cx(!left && "text-subtle")}>
      {spent}
      {left && (
        <>
          ; <span className={left.none ? "text-warn-ink" : "font-medium text-ink"}>{left.text}</span>
        </>
      )}
      {notCounted && <span className="text-subtle">. {notCounted}.</span>} <LeftOut count={month.left_out} />
    </span>
  );
}
