import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronLeft, FileUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { getSourceOptions } from "@/api/@tanstack/react-query.gen";
import { client } from "@/api/client.gen";
import type { Import, UploadImportData } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { formatBytes } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { upload } from "@/lib/upload";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Page } from "@/ui/page";
import { Progress } from "@/ui/progress";
import { useMissedDrops } from "./drop-target";
import { acceptedFiles, dragsFiles, largestFile, readDrop, refuse, takeOver } from "./files";
import { useImportChanged } from "./queries";

/** Uploads a file for a table: one chosen here, or one dropped on a card. */
export function NewImportPage() {
  const { workspace, can } = usePlace();
  const { slug } = useParams({ from: "/inside/w/$workspace/sources/$slug/import" });
  const { data, error, refetch } = useQuery(getSourceOptions({ path: { workspace: workspace.id, slug } }));
  const title = data?.source.title ?? slug;
  return (
    <Page
      title={`Import a file into ${title}`}
      description="Its columns and first records are shown before anything is stored."
      above={
        <Link
          to="/w/$workspace/sources/$slug"
          params={{ workspace: workspace.id, slug }}
          className="-ml-1 inline-flex items-center gap-0.5 rounded-sm text-muted hover:text-ink"
        >
          <ChevronLeft className="size-4" aria-hidden />
          {title}
        </Link>
      }
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {!error && can("import_records") && <Chooser table={slug} />}
      {!can("import_records") && (
        <Card>
          <p>Your role cannot import files. Ask a buyer or a Company-Admin.</p>
        </Card>
      )}
    </Page>
  );
}

function Chooser({ table }: { table: string }) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const go = useNavigate();
  const changed = useImportChanged();
  const [refused, setRefused] = useState<string>();
  const [share, setShare] = useState(0);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const stop = useRef<AbortController>(undefined);
  useMissedDrops(true);

  const { mutate, variables, error, isPending, reset } = useMutation({
    mutationFn: (file: File) => {
      stop.current = new AbortController();
      const address = client.buildUrl<Omit<UploadImportData, "body">>({
        url: "/api/app/workspaces/{workspace}/sources/{slug}/imports",
        path: { workspace: workspace.id, slug: table },
        query: { name: file.name },
      });
      return upload<Import>(address, file, { signal: stop.current.signal, onProgress: setShare });
    },
    onSuccess: (one) => {
      changed(one);
      void go({
        to: "/w/$workspace/imports/$import",
        params: { workspace: workspace.id, import: one.id },
        replace: true,
      });
    },
  });
  const take = (chosen: File | string) => {
    const why = typeof chosen === "string" ? chosen : refuse(chosen, locale);
    reset();
    setShare(0);
    setRefused(why);
    if (typeof chosen !== "string" && !why) mutate(chosen);
  };
  const dropped = useRef(take);
  dropped.current = take;
  useEffect(() => {
    const handed = takeOver(table);
    if (handed !== undefined) dropped.current(handed);
  }, [table]);
  // Leaving the page cancels the upload.
  useEffect(() => () => stop.current?.abort(), []);

  if (isPending && variables)
    return <Uploading file={variables} share={share} stop={() => stop.current?.abort()} />;
  const stopped = error instanceof DOMException && error.name === "AbortError";
  return (
    <div className="flex flex-col gap-3">
      {refused && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad-ink wrap-anywhere">
          {refused}
        </p>
      )}
      {error && !stopped && <ErrorNote error={error} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard */}
      <div
        onDragOver={(event) => {
          if (!dragsFiles(event.dataTransfer)) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(readDrop(event.dataTransfer));
        }}
        className={cx(
          "flex flex-col items-center gap-3 rounded-lg border-2 border-dashed px-6 py-14 text-center",
          over ? "border-accent bg-accent-soft" : "border-edge bg-surface",
        )}
      >
        <FileUp className="size-8 text-accent-ink" aria-hidden />
        <p className="text-base text-ink">Drop a file here, or choose one.</p>
        <Button variant="primary" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          type="file"
          accept={acceptedFiles}
          aria-label="The file to import"
          className="hidden"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = ""; // the same file may be chosen again
            if (file) take(file);
          }}
        />
        <p className="max-w-md text-muted text-xs">
          CSV, Excel (.xlsx), NDJSON or JSON, gzipped or not, of up to {formatBytes(largestFile, locale)}. The
          first row names the columns. Import larger files with <code>quayside push</code>.
        </p>
      </div>
    </div>
  );
}

function Uploading({ file, share, stop }: { file: File; share: number; stop: () => void }) {
  const { locale } = useLocale();
  const percent = Math.round(share * 100);
  return (
    <Card
      title={<span className="wrap-anywhere">{file.name}</span>}
      actions={<Button onClick={stop}>Stop</Button>}
    >
      <Progress label="Uploaded" parts={[{ value: percent, tone: "good" }]} total={100} busy />
      <p role="status" className="mt-2 text-muted">
        {percent < 100
          ? `Uploading ${formatBytes(file.size, locale)}: ${percent} %`
          : "Reading the file and its columns…"}
      </p>
    </Card>
  );
}
