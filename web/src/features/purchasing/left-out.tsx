import { useLocale } from "@/lib/locale";
import { leftOut } from "@/messages/common";

/** Says that a sum leaves lines out. */
export function LeftOut({ count }: { count: number }) {
  const { locale } = useLocale();
  if (count === 0) return null;
  return <span className="text-warn-ink text-xs">{leftOut({ count }, locale)}</span>;
}
