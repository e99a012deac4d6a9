import { Link } from "@tanstack/react-router";
import type { Note } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Time } from "@/ui/time";
import { type Answer, Part } from "./part";

interface NotesProps {
  activity: Answer<{ notes: Note[] }>;
  /** What the page is about, such as supplier. */
  noun: string;
}

/** Meeting notes that refer to it. */
export function Notes({ activity, noun }: NotesProps) {
  const { workspace } = usePlace();
  return (
    <Part
      title="Meeting notes"
      of={activity}
      empty={({ notes }) => notes.length === 0 && `No meeting note refers to this ${noun}.`}
    >
      {({ notes }) => (
        <ul className="-my-1.5 divide-y divide-line">
          {notes.map((note) => (
            <li key={note.id} className="py-1.5">
              <Link
                to="/w/$workspace/tables/$slug"
                params={{ workspace: workspace.id, slug: "meeting_notes" }}
                search={{ record: note.id }}
                className="rounded-sm text-accent-ink hover:underline"
              >
                {note.title}
              </Link>{" "}
              <span className="text-muted text-xs">
                <Time inline value={note.at} />
              </span>
              {note.summary && <span className="line-clamp-3 break-words text-muted">{note.summary}</span>}
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}
