import { Link } from "@tanstack/react-router";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { moreUnknown, unknownFields } from "@/messages/tables";
import { useUnknownFields } from "./unknown";

const named = 3;

/** Says on a table's page which fields arrive and are not stored, to those who can make columns. */
export function UnknownNotice({ slug }: { slug: string }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const { data } = useUnknownFields(slug);
  const seen = data?.items.filter((one) => one.status === "seen") ?? [];
  if (seen.length === 0) return null;
  return (
    <p className="mb-3 flex flex-wrap items-baseline gap-x-2 rounded-md bg-sunken px-3 py-2 text-muted">
      <span className="min-w-0 wrap-anywhere">
        {unknownFields({ count: seen.length }, locale)}{" "}
        {seen.slice(0, named).map(({ name }, i) => (
          <span key={name}>
            {i > 0 && ", "}
            <code className="text-ink">{name}</code>
          </span>
        ))}
        {seen.length > named && moreUnknown({ count: seen.length - named }, locale)}
      </span>
      <Link
        to="/w/$workspace/tables/$slug/columns"
        params={{ workspace: workspace.id, slug }}
        hash="unknown-fields"
        className="rounded-sm text-accent-ink hover:underline"
      >
        Look at them
      </Link>
    </p>
  );
}
