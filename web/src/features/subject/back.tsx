import { Link } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { usePlace } from "@/lib/session";

/** The link above a page to the table of its record. */
export function BackToTable({ slug, label }: { slug: string; label: string }) {
  const { workspace } = usePlace();
  return (
    <Link
      to="/w/$workspace/tables/$slug"
      params={{ workspace: workspace.id, slug }}
      className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
    >
      <ChevronLeft className="size-4" aria-hidden />
      {label}
    </Link>
  );
}
