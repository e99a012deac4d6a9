import { ArrowUpRight } from "lucide-react";
import type { ReactNode } from "react";

interface EmptyStateProps {
  icon?: ReactNode;
  /** One sentence: what will be listed here, and what adds the first entry. */
  children: ReactNode;
  /** One button. */
  action: ReactNode;
  docs: { href: string; label: string };
}

export function EmptyState({ icon, children, action, docs }: EmptyStateProps) {
  return (
    <div data-empty className="flex flex-col items-center px-6 py-10 text-center">
      {icon && (
        <span className="mb-3 grid size-10 place-items-center rounded-lg border border-line bg-surface text-accent-ink shadow-card dark:bg-raised [&_svg]:size-5">
          {icon}
        </span>
      )}
      <p className="max-w-sm text-balance text-base text-ink">{children}</p>
      <div className="mt-4">{action}</div>
      <a
        href={docs.href}
        target="_blank"
        rel="noreferrer"
        className="mt-3 inline-flex min-h-6 items-center gap-1 rounded-sm text-accent-ink text-sm hover:underline"
      >
        {docs.label}
        <ArrowUpRight className="size-3.5" aria-hidden />
        <span className="sr-only">(opens in a new tab)</span>
      </a>
    </div>
  );
}
