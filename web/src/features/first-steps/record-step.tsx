import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { getSourceOptions } from "@/api/@tanstack/react-query.gen";
import type { Source } from "@/api/types.gen";
import { exampleRecord } from "@/features/sources/queries";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { ingestSnippets, keyPlaceholder } from "@/lib/snippets";
import { Snippet } from "@/ui/snippet";
import type { Heard } from "./first-steps";

interface RecordStepProps {
  source: Source;
  secret: string | undefined;
  heard: Heard;
}

const tones: Record<Heard, string> = {
  nothing: "text-muted",
  arrived: "text-good-ink",
  refused: "text-bad-ink",
};

/** The call to make, and a note that turns green when the record has arrived. */
export function RecordStep({ source, secret, heard }: RecordStepProps) {
  const { workspace } = usePlace();
  const params = { workspace: workspace.id, slug: source.slug };
  const { data } = useQuery(getSourceOptions({ path: params }));
  return (
    <div className="flex flex-col gap-3">
      {data && (
        <Snippet
          label="Calls in several languages"
          codes={ingestSnippets(source.endpoint, secret ?? keyPlaceholder, exampleRecord(data))}
          secret={secret}
        />
      )}
      <p role="status" className={cx("flex items-center gap-2", tones[heard])}>
        {heard === "arrived" && (
          <>
            <CircleCheck className="size-4 shrink-0" aria-hidden />
            <span>
              It arrived.{" "}
              <Link
                to="/w/$workspace/sources/$slug"
                params={params}
                className="rounded-sm font-medium underline underline-offset-2"
              >
                See {source.title}
              </Link>
            </span>
          </>
        )}
        {heard === "refused" && (
          <>
            <CircleAlert className="size-4 shrink-0" aria-hidden />
            <span>A record was refused. The answer says why; correct it and send it again.</span>
          </>
        )}
        {heard === "nothing" && (
          <>
            <LoaderCircle className="size-4 shrink-0 animate-spin motion-reduce:animate-none" aria-hidden />
            Listening for the first record…
          </>
        )}
      </p>
    </div>
  );
}
