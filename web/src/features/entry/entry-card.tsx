import { type ReactNode, useEffect } from "react";
import { Card } from "@/ui/card";

/** A link inside the text of these pages, tall enough for a finger. */
export const linkClass =
  "inline-flex min-h-6 items-center rounded-sm font-medium text-accent-ink hover:underline";

interface EntryCardProps {
  title: string;
  description?: ReactNode;
  footer?: ReactNode;
  children?: ReactNode;
}

export function EntryCard({ title, description, footer, children }: EntryCardProps) {
  useEffect(() => {
    document.title = `${title} · Quayside`;
  }, [title]);
  return (
    <Card flush footer={footer && <div className="px-1">{footer}</div>}>
      <div className="flex flex-col gap-5 p-5">
        <div>
          <h1 className="font-semibold text-ink text-xl tracking-tight">{title}</h1>
          {description && <div className="mt-1 text-base text-muted">{description}</div>}
        </div>
        {children}
      </div>
    </Card>
  );
}
