import { useMutation } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, Play } from "lucide-react";
import { useState } from "react";
import { testRecordMutation } from "@/api/@tanstack/react-query.gen";
import type { SourceDetail, TestAnswer } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Textarea } from "@/ui/textarea";
import { exampleRecord } from "./queries";

/** Shows the endpoint's answer to a record without storing it. */
export function TryRecord({ detail }: { detail: SourceDetail }) {
  const { workspace } = usePlace();
  const [record, setRecord] = useState(() => JSON.stringify(exampleRecord(detail), null, 2));
  const { mutate, data, error, isPending } = useMutation(testRecordMutation());
  const run = () => mutate({ path: { workspace: workspace.id, slug: detail.source.slug }, body: { record } });
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Record" description="Sent as it stands. Nothing is stored.">
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            run();
          }}
        >
          <Field label={<span className="sr-only">The record as JSON</span>}>
            <Textarea
              mono
              rows={Math.min(24, Math.max(10, record.split("\n").length + 1))}
              spellCheck={false}
              value={record}
              onChange={(event) => setRecord(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                run();
              }}
            />
          </Field>
          <div className="flex items-center justify-between gap-3">
            <span className="text-subtle text-xs">Ctrl or ⌘ with Enter sends it.</span>
            <Button type="submit" variant="primary" icon={<Play aria-hidden />} loading={isPending}>
              Send test record
            </Button>
          </div>
        </form>
      </Card>
      <div aria-live="polite">
        {error && <ErrorNote error={error} />}
        {data ? (
          <Answer answer={data} />
        ) : (
          <p className="px-1 py-2 text-muted">The endpoint’s exact answer will be shown here.</p>
        )}
      </div>
    </div>
  );
}

const results: Record<string, string> = {
  created: "It would be stored as a new row.",
  updated: "It would change the row with this key.",
  unchanged: "The row with this key already has these values.",
  stale: "It would change nothing: a newer delivery of this record is stored.",
};

function Answer({ answer }: { answer: TestAnswer }) {
  const fine = answer.status === 200;
  const Icon = fine ? CircleCheck : CircleAlert;
  return (
    <Card
      title={
        <span
          className={fine ? "flex items-center gap-2 text-good-ink" : "flex items-center gap-2 text-bad-ink"}
        >
          <Icon className="size-4" aria-hidden />
          {answer.status} {fine ? "accepted" : "refused"}
        </span>
      }
    >
      {answer.result && <p className="mb-3">{results[answer.result]}</p>}
      {answer.errors.length > 0 && (
        <ul className="mb-3 flex flex-col gap-1.5">
          {answer.errors.map((one) => (
            <li key={one.pointer + one.code} className="rounded-md bg-bad-soft px-3 py-1.5 text-bad-ink">
              <code className="font-mono text-xs">{one.pointer.replace("#/", "")}</code> {one.detail}
            </li>
          ))}
        </ul>
      )}
      {answer.warnings.length > 0 && (
        <ul className="mb-3 flex flex-col gap-1.5">
          {answer.warnings.map((one) => (
            <li
              key={`${one.code} ${one.field}`}
              className="rounded-md bg-warn-soft px-3 py-1.5 text-warn-ink"
            >
              <code className="font-mono text-xs">
                {one.code}
                {one.field && `;${one.field}`}
              </code>{" "}
              {one.meaning}
            </li>
          ))}
        </ul>
      )}
      <Names
        title="Ignored: the table does not accept them, or the row keeps its value"
        names={answer.dropped}
      />
      <Names title="Stored in another form than sent" names={answer.coerced} />
      <p className="mb-1 text-muted text-xs">The answer’s body</p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs"
      >
        {answer.body}
      </pre>
    </Card>
  );
}

function Names({ title, names }: { title: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <p className="mb-3">
      <span className="block text-muted text-xs">{title}</span>
      {names.map((name) => (
        <code key={name} className="mr-2 font-mono text-xs">
          {name}
        </code>
      ))}
    </p>
  );
}
