import { ChevronRight, CircleAlert, CircleCheck } from "lucide-react";
import type { Sample } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { dryRun, newestOf, wouldBeStored } from "@/messages/failure";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { JsonText } from "@/ui/json-text";
import { SkeletonText } from "@/ui/skeleton";
import type { usePreview } from "./bulk-queries";
import { Diff } from "./diff";
import { marksFor } from "./marks";

interface PreviewProps {
  preview: ReturnType<typeof usePreview>;
  /** The fixes have changed since this preview. */
  stale: boolean;
  changed: boolean;
}

/** A dry run on the newest payloads: before, after, and the answer. */
export function Preview({ preview, stale, changed }: PreviewProps) {
  const { locale } = useLocale();
  const { data, error, refetch } = preview;
  if (error) return <ErrorNote error={error} retry={refetch} />;
  if (!data) return <SkeletonText lines={8} label="Trying the newest payloads" />;
  const good = data.samples.filter((sample) => sample.status === 200).length;
  const { length } = data.samples;
  const which = length < data.count ? newestOf({ some: length, all: data.count }, locale) : length;
  return (
    <Card
      flush
      title={
        length === 0
          ? "Nothing matches"
          : wouldBeStored({ good, count: length, changed: changed ? "changed " : "" }, locale)
      }
      description={
        length === 0 ? "No open failed import matches the filter any more." : dryRun({ which }, locale)
      }
      className={cx((stale || preview.isPlaceholderData) && "opacity-60 transition-opacity delay-200")}
    >
      <ul className="divide-y divide-line">
        {data.samples.map((sample, index) => (
          <SampleRow key={sample.id} sample={sample} open={index === 0} />
        ))}
      </ul>
    </Card>
  );
}

function SampleRow({ sample, open }: { sample: Sample; open: boolean }) {
  const fine = sample.status === 200;
  const Icon = fine ? CircleCheck : CircleAlert;
  return (
    <li>
      <details open={open} className="group">
        <summary className="-outline-offset-2! flex min-h-9 cursor-pointer list-none items-center gap-2 px-4 py-1.5 hover:bg-hover/60">
          <ChevronRight className="size-3.5 shrink-0 text-subtle group-open:rotate-90" aria-hidden />
          <Icon className={cx("size-4 shrink-0", fine ? "text-good" : "text-bad-ink")} aria-hidden />
          <span className="max-w-1/2 shrink-0 truncate font-medium font-mono text-xs">
            {sample.record_key ?? "no key"}
          </span>
          <span className={cx("min-w-0 truncate", fine ? "text-good-ink" : "text-bad-ink")}>
            {fine ? "would be stored" : sample.message}
          </span>
        </summary>
        <div className="px-4 pt-1 pb-3">
          {sample.changed ? (
            <Diff before={sample.before} after={sample.after} />
          ) : (
            <JsonText label="Payload" text={sample.after} marks={marksFor(sample.after, sample.errors)} />
          )}
          {!fine && sample.errors.length > 1 && (
            <ul className="mt-2 ml-4 list-disc text-bad-ink text-xs">
              {sample.errors.map((one) => (
                <li key={one.pointer + one.code}>{one.detail}</li>
              ))}
            </ul>
          )}
        </div>
      </details>
    </li>
  );
}
