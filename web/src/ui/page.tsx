import { type ReactNode, useEffect } from "react";
import { cx } from "@/lib/cx";

interface PageProps {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** A link to the parent page, above the title. */
  above?: ReactNode;
  /** Uses the whole width, for a grid. */
  wide?: boolean;
  children: ReactNode;
}

/** The header of every page: one h1, a description and actions. */
export function Page({ title, description, actions, above, wide, children }: PageProps) {
  // Not a <title> element: browsers use the first one, which index.html already has.
  useEffect(() => {
    if (typeof title === "string") document.title = `${title} · Quayside`;
  }, [title]);
  return (
    <div className={cx("mx-auto w-full px-4 py-5 md:px-6 md:py-6", !wide && "max-w-7xl")}>
      {above && <div className="mb-2 flex">{above}</div>}
      <header className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="font-semibold text-ink text-xl tracking-tight">{title}</h1>
          {description && <p className="mt-0.5 text-base text-muted">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
