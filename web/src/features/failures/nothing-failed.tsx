import { Link } from "@tanstack/react-router";
import { CircleCheck, SearchX } from "lucide-react";
import { usePlace } from "@/lib/session";
import { Button, buttonClass } from "@/ui/button";
import { EmptyState } from "@/ui/empty-state";
import { isFiltered } from "./filter";
import { useFailureSearch, type View } from "./use-search";

const sentences = {
  open: "No open failed imports: every record was stored or dealt with.",
  ignored: "Nobody has dismissed a failed import.",
  resolved: "No failed import has been resolved yet.",
};

/** The empty state of the lists. */
export function NothingFailed({ view }: { view: View }) {
  const { workspace } = usePlace();
  const { search, status, go } = useFailureSearch(view);
  const docs = { href: "/docs/failed-imports", label: "How failed imports are kept" };
  if (isFiltered(search))
    return (
      <EmptyState
        icon={<SearchX aria-hidden />}
        action={
          <Button onClick={() => go(search.status ? { status: search.status } : {}, { replace: true })}>
            Clear the filter
          </Button>
        }
        docs={docs}
      >
        No {status} failed import matches the filter.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<CircleCheck aria-hidden />}
      action={
        <Link to="/w/$workspace/sources" params={{ workspace: workspace.id }} className={buttonClass()}>
          See the data sources
        </Link>
      }
      docs={docs}
    >
      {sentences[status]}
    </EmptyState>
  );
}
