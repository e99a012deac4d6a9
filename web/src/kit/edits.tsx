import { useState } from "react";
import { useEditSession } from "@/lib/edit";
import { ApiError } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { FormConflict } from "@/ui/form-conflict";
import { Input } from "@/ui/input";
import { UnsavedNote } from "@/ui/unsaved-note";
import { Row, Section } from "./section";

interface Terms {
  quantity: string;
  note: string;
}

const before = { quantity: "10", note: "", version: 1 };
const theirs = { quantity: "500", note: "Two pallets", version: 2 };

/** The first save always meets a conflict. */
function useTerms() {
  return useEditSession<Terms, typeof before>(undefined, {
    seen: before,
    toDraft: ({ quantity, note }) => ({ quantity, note }),
    save: async (draft, { version }) => {
      if (version === 1) throw new ApiError({ code: "stale" }, 412);
      return { ...draft, version: version + 1 };
    },
    look: async () => ({ seen: theirs, by: "Ben Okafor", at: new Date(Date.now() - 120_000).toISOString() }),
  });
}

function TermsForm({ edit }: { edit: ReturnType<typeof useTerms> }) {
  const { session, draft } = edit;
  const change = (next: Partial<Terms>) => session.type({ ...session.state.draft, ...next });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void session.save();
      }}
    >
      <Field label="Pieces">
        <Input value={draft.quantity} onChange={(event) => change({ quantity: event.currentTarget.value })} />
      </Field>
      <Field label="Remark" optional>
        <Input value={draft.note} onChange={(event) => change({ note: event.currentTarget.value })} />
      </Field>
      <FormConflict edit={edit} labels={{ quantity: "Pieces", note: "Remark" }} />
      <Button type="submit" variant="primary" className="self-start" loading={edit.saving}>
        Save the terms
      </Button>
    </form>
  );
}

function TermsDialog() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Edit in a dialog</Button>
      <Dialog title="Terms" open={open} onOpenChange={setOpen}>
        <Inside />
      </Dialog>
    </>
  );
}

function Inside() {
  return <TermsForm edit={useTerms()} />;
}

export function Edits() {
  const edit = useTerms();
  return (
    <Section id="edits" title="Edits">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="A conflict" description="Change the pieces and save: somebody else was faster.">
          <TermsForm edit={edit} />
        </Card>
        <Card title="A draft from before">
          <UnsavedNote onSave={() => undefined} onDiscard={() => undefined} />
        </Card>
      </div>
      <Row label="Unsaved work">
        <TermsDialog />
      </Row>
    </Section>
  );
}
