import { createContext, type ReactNode, use } from "react";

/** Which heading a part has: under the panel's title, or under that of a page. */
export const PartHeading = createContext<"h2" | "h3">("h3");

interface PartProps {
  title: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled part of a failure. */
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
