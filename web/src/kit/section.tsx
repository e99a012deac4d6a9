import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="scroll-mt-16 border-line border-t py-6">
      <h2 id={`${id}-title`} className="mb-4 font-semibold text-lg">
        {title}
      </h2>
      <div className="flex flex-col gap-5">{children}</div>
    </section>
  );
}

/** One labelled line of variants. */
export function Row({ label, wide, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className="grid gap-2 sm:grid-cols-[8rem_minmax(0,1fr)] sm:items-center">
      <span className="text-subtle text-xs">{label}</span>
      <div className={cx("flex flex-wrap items-center", wide ? "gap-x-5 gap-y-2" : "gap-2")}>{children}</div>
    </div>
  );
}
