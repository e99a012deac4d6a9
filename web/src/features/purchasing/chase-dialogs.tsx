import { useRef, useState } from "react";
import { addOrderEntry, rescheduleLines } from "@/api/sdk.gen";
import type { Line } from "@/api/types.gen";
import { copyText } from "@/lib/copy";
import { cx } from "@/lib/cx";
import { useEdit } from "@/lib/edit";
import { ApiError } from "@/lib/problem";
import { mailto } from "@/lib/reach";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { linesExpected, linesTo } from "@/messages/purchasing";
import { Button, buttonClass } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { Textarea } from "@/ui/textarea";
import { toast } from "@/ui/toast";
import { ActionDialog } from "./action-dialog";
import { type Delivery, nextDay } from "./arrival-groups";
import { DayField } from "./day-field";
import { refs } from "./model";
import { Refusal } from "./parts";
import { useReloadPurchasing, useToday } from "./queries";
import { type Language, languageFor, languages, maxText, rememberLanguage, reminder } from "./reminder";

export interface ChaseDialogProps {
  delivery: Delivery;
  onClosed: () => void;
}

/** The most lines that one call can change. */
const maxLines = 500;

/** Sets a day, and returns the lines as they are then. */
async function moveLines(
  workspace: string,
  lines: readonly Line[],
  day: string,
  reason: string,
): Promise<Line[]> {
  const moved: Line[] = [];
  for (let at = 0; at < lines.length; at += maxLines) {
    const { data } = await rescheduleLines({
      path: { workspace },
      body: {
        lines: refs(lines.slice(at, at + maxLines)),
        expected_arrival_date: day,
        reason: reason.slice(0, 500),
      },
      throwOnError: true,
    });
    moved.push(...data.items);
  }
  return moved;
}

/** Moves lines, and returns how to move them back to their former days. */
function useMoveLines() {
  const { workspace } = usePlace();
  const reload = useReloadPurchasing();
  return async (lines: readonly Line[], day: string, reason: string) => {
    const moved = await moveLines(workspace.id, lines, day, reason);
    const dayOf = new Map(lines.map((line) => [line.id, line.expected_arrival_date ?? ""]));
    return async () => {
      try {
        for (const [before, some] of Map.groupBy(moved, (line) => dayOf.get(line.id) ?? ""))
          await moveLines(workspace.id, some, before, "Undone");
      } catch (error) {
        toast.error(error, "The former days were not restored");
      }
      await reload();
    };
  };
}

const required = (detail: string) =>
  new ApiError({ code: "required", title: "Something is missing", detail }, 422);

/** A new day for the lines of a delivery. */
export function NewDateDialog({ delivery, onClosed }: ChaseDialogProps) {
  const { locale } = usePlace().workspace;
  const today = useToday();
  const move = useMoveLines();
  const { order, lines } = delivery;
  return (
    <ActionDialog
      action="dates"
      fields={() => ({ day: nextDay(delivery.day, today), reason: "" })}
      title={`New date: ${order}`}
      description="No approval is lost."
      confirm={linesTo({ what: "Move", count: lines.length }, locale)}
      lines={lines}
      onClosed={onClosed}
      act={async (seen, { day, reason }) => {
        if (!day) throw required("Give the new day.");
        const undo = await move(seen, day, reason.trim());
        return { text: linesExpected({ count: seen.length, day: formatDay(day, locale) }, locale), undo };
      }}
    >
      {(_, { draft, change, failure }) => (
        <>
          <DayField
            label="Expected on"
            day={draft.day}
            today={today}
            onDay={(day) => change({ day })}
            error={failure?.fieldError("expected_arrival_date")}
          />
          <Field label="Who said so" optional>
            <Input
              value={draft.reason}
              maxLength={500}
              placeholder="Ms Berg on the phone"
              onChange={(event) => change({ reason: event.currentTarget.value })}
            />
          </Field>
        </>
      )}
    </ActionDialog>
  );
}

/** What was said on the phone, and the new day if there is one. */
export function CalledDialog({ delivery, onClosed }: ChaseDialogProps) {
  const { workspace } = usePlace();
  const today = useToday();
  const move = useMoveLines();
  // If only the entry fails, a second try does not move the lines again.
  const moved = useRef(false);
  const { order, lines } = delivery;
  return (
    <ActionDialog
      action="called"
      fields={() => ({ text: "", day: "" })}
      title={`Called: ${order}`}
      description={[delivery.suppliers.join(", "), delivery.contact?.phone].filter(Boolean).join(" · ")}
      confirm={({ day }) =>
        day ? linesTo({ what: "Save and move", count: lines.length }, workspace.locale) : "Save"
      }
      lines={lines}
      onClosed={onClosed}
      act={async (seen, { text, day }) => {
        if (!text.trim()) throw required("Say in a few words what was said.");
        if (day && !moved.current) await move(seen, day, text.trim());
        moved.current = true;
        const path = { workspace: workspace.id, order };
        await addOrderEntry({ path, body: { kind: "call", text }, throwOnError: true });
        return "The call is in the order's timeline";
      }}
    >
      {(_, { draft, change, failure }) => (
        <>
          <Field label="What was said">
            <Input
              value={draft.text}
              maxLength={maxText}
              className="max-md:h-11"
              autoComplete="off"
              onChange={(event) => change({ text: event.currentTarget.value })}
            />
          </Field>
          <DayField
            label="New date"
            optional
            day={draft.day}
            today={today}
            onDay={(day) => change({ day })}
            error={failure?.fieldError("expected_arrival_date")}
          />
        </>
      )}
    </ActionDialog>
  );
}

interface Mail {
  language: Language;
  to: string;
  subject: string;
  text: string;
}

/** A mail to the supplier, which the person sends with their own program. Its text is kept. */
export function RemindDialog({ delivery, onClosed }: ChaseDialogProps) {
  const { person, company, workspace } = usePlace();
  const reload = useReloadPurchasing();
  const { order, contact } = delivery;
  const [open, setOpen] = useState(true);
  const write = (language: Language): Mail => ({
    language,
    to: contact?.email ?? "",
    ...reminder(delivery, language, `${person.name}, ${company.name}`),
  });
  const { session, draft, failure, saving, ...edit } = useEdit<Mail, null>(undefined, {
    seen: null,
    toDraft: () => write(languageFor(contact?.id, workspace.locale)),
    save: async ({ text, language }) => {
      const path = { workspace: workspace.id, order };
      await addOrderEntry({ path, body: { kind: "reminder", text }, throwOnError: true });
      rememberLanguage(contact?.id, language);
      toast.success("The reminder is in the order's timeline");
      return undefined;
    },
    onSaved: () => {
      setOpen(false);
      void reload();
    },
  });
  const change = (next: Partial<Mail>) => session.type({ ...session.state.draft, ...next });
  async function copy() {
    if (await copyText(`${draft.subject}\n\n${draft.text}`)) await session.save();
    else
      toast.error(
        new Error("The browser refused"),
        "Nothing was copied. Select the text and copy it by hand",
      );
  }
  const ready = draft.text.trim() !== "" && !saving;
  return (
    <Dialog
      title={`Remind: ${order}`}
      description={delivery.suppliers.join(", ") || "No supplier"}
      size="md"
      open={open}
      onOpenChange={(next) => !saving && setOpen(next)}
      onClosed={onClosed}
      edit={{ session, ...edit }}
      footer={
        <>
          <Button className="max-md:h-11 max-md:flex-1" disabled={!ready} onClick={() => void copy()}>
            Copy
          </Button>
          <a
            href={mailto(draft.to, draft.subject, draft.text)}
            className={cx(buttonClass("primary"), "max-md:h-11 max-md:flex-1")}
            onClick={(event) => {
              if (ready) void session.save();
              else event.preventDefault();
            }}
          >
            Open in mail program
          </a>
        </>
      }
    >
      <form className="flex flex-col gap-4" onSubmit={(event) => event.preventDefault()}>
        <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
          <Field label="To">
            <Input
              type="email"
              value={draft.to}
              maxLength={200}
              onChange={(event) => change({ to: event.currentTarget.value })}
            />
          </Field>
          <Field label="Language">
            <Select
              options={languages}
              value={draft.language}
              onValueChange={(language) => change({ ...write(language), to: draft.to })}
            />
          </Field>
        </div>
        <Field label="Subject">
          <Input
            value={draft.subject}
            maxLength={200}
            onChange={(event) => change({ subject: event.currentTarget.value })}
          />
        </Field>
        <Field label="Text" hint="Kept in the order's timeline.">
          <Textarea
            rows={12}
            maxLength={maxText}
            value={draft.text}
            onChange={(event) => change({ text: event.currentTarget.value })}
          />
        </Field>
        {failure && <Refusal error={failure} />}
      </form>
    </Dialog>
  );
}
