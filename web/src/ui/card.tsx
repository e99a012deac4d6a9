import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

interface CardProps {
  id?: string | undefined;
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  footer?: ReactNode;
  /** No padding, for a table that runs to the edges. */
  flush?: boolean;
  className?: string;
  children?: ReactNode;
}

export function Card({ id, title, description, actions, footer, flush, className, children }: CardProps) {
  const headed = Boolean(title || actions);
  return (
    <section
      id={id}
      className={cx(
        "flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-card",
        className,
      )}
    >
      {headed && (
        <header
          className={cx(
            "flex flex-wrap items-start gap-x-3 gap-y-2 px-4 pt-3",
            flush && "border-line border-b pb-3",
          )}
        >
          <div className="min-w-40 flex-1">
            <h2 className="font-semibold text-base text-ink">{title}</h2>
            {description && <p className="text-muted">{description}</p>}
          </div>
          {actions && <div className="flex items-center gap-2 max-sm:w-full sm:-my-1">{actions}</div>}
        </header>
      )}
      <div className={cx("min-w-0 flex-1", !flush && (headed ? "px-4 pt-3 pb-4" : "p-4"))}>{children}</div>
      {footer && (
        <footer className="border-line border-t bg-canvas px-4 py-2.5 text-muted dark:bg-transparent">
          {footer}
        </footer>
      )}
    </section>
  );
}
