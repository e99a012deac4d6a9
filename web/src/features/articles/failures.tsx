import { Link } from "@tanstack/react-router";
import { usePlace } from "@/lib/session";
import { Time } from "@/ui/time";
import { Part } from "./part";
import type { useActivity } from "./queries";

/** Records that name the article and were refused: its figures lack them. */
export function Failures({ activity }: { activity: ReturnType<typeof useActivity> }) {
  const { workspace } = usePlace();
  if (activity.data && !activity.data.failures) return null;
  return (
    <Part
      title="Failed imports"
      description="Open ones that name this article. Until they are fixed, its figures lack them."
      of={activity}
      empty={({ failures }) => failures?.length === 0 && "None of the latest failed imports names it."}
    >
      {({ failures = [] }) => (
        <ul className="-my-1.5 divide-y divide-line">
          {failures.map((failure) => (
            <li key={failure.id} className="py-1.5">
              <Link
                to="/w/$workspace/failures/rows"
                params={{ workspace: workspace.id }}
                search={{ open: failure.id }}
                className="rounded-sm text-accent-ink hover:underline"
              >
                {failure.message}
              </Link>
              <span className="block text-muted text-xs">
                {failure.table.replaceAll("_", " ")}, <Time inline value={failure.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}
