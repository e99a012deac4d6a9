import { createContext, type ReactNode, use } from "react";

/** The heading level of a part: below the panel's title or below a page's. */
export const PartHeading = createContext<"h2" | "h3">("h3");

interface PartProps {
  title: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A section with a title. */
export function Part({ title, actions, children }: PartProps) {
  const Heading = use(PartHeading);
  return (
    <section className="min-w-0">
      <header className="mb-1.5 flex min-h-6 items-center justify-between gap-2">
        <Heading className="font-medium text-muted text-xs">{title}</Heading>
        {actions && <div className="flex items-center gap-1">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
