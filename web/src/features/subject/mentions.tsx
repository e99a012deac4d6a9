import { Link } from "@tanstack/react-router";
import type { Mention } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Time } from "@/ui/time";
import { type Answer, Part } from "./part";

interface MentionsProps {
  activity: Answer<{ failures?: Mention[] }>;
  /** What the page is about, such as article. */
  noun: string;
}

/** Records that name it and were refused: its figures lack them. */
export function Mentions({ activity, noun }: MentionsProps) {
  const { workspace } = usePlace();
  if (activity.data && !activity.data.failures) return null;
  return (
    <Part
      title="Failed imports"
      description={`Open ones that name this ${noun}. Until they are fixed, the figures lack them.`}
      of={activity}
      empty={({ failures }) =>
        failures?.length === 0 && `None of the latest failed imports names this ${noun}.`
      }
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
