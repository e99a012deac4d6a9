import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileText } from "lucide-react";
import { useState } from "react";
import { draftOrderMailOptions } from "@/api/@tanstack/react-query.gen";
import { approveLines, sendOrder } from "@/api/sdk.gen";
import type { Line, OrderDraft, OrderSupplier } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useEdit } from "@/lib/edit";
import { ApiError } from "@/lib/problem";
import { mailto } from "@/lib/reach";
import { usePlace } from "@/lib/session";
import { changedSinceSent, outsideOf, unapprovedOf } from "@/messages/purchasing";
import { Button, buttonClass } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { SkeletonText } from "@/ui/skeleton";
import { Textarea } from "@/ui/textarea";
import { Time } from "@/ui/time";
import { toast } from "@/ui/toast";
import { refs } from "./model";
import { Refusal } from "./parts";
import { partOf, pdfAddress } from "./print";
import { useActors, useReloadPurchasing } from "./queries";
import { Receivers } from "./receivers";
import { addressesIn, mailState } from "./sent-words";

interface SendDialogProps {
  order: string;
  /** One of several suppliers. */
  supplier?: OrderSupplier | undefined;
  /** Lines that this person can approve. */
  approvable: readonly Line[];
  onClosed: () => void;
}

/** The mail with an order to its supplier, before it is sent. */
export function SendDialog(props: SendDialogProps) {
  const { order, supplier, onClosed } = props;
  const { workspace } = usePlace();
  const [open, setOpen] = useState(true);
  const { data, error, refetch } = useQuery({
    ...draftOrderMailOptions({ path: { workspace: workspace.id, order }, query: partOf(supplier) }),
    staleTime: 0,
    gcTime: 0,
  });
  if (data) return <Letter {...props} draft={data} look={refetch} />;
  return (
    <Dialog
      title={`Send ${order}`}
      size="md"
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      footer={
        <DialogClose>
          <Button className="max-md:h-11 max-md:flex-1">Cancel</Button>
        </DialogClose>
      }
    >
      {error ? (
        <ErrorNote error={error} retry={refetch} />
      ) : (
        <SkeletonText lines={8} label="Writing the mail" />
      )}
    </Dialog>
  );
}

interface Fields {
  to: string;
  cc: string;
  subject: string;
  text: string;
}

interface LetterProps extends SendDialogProps {
  draft: OrderDraft;
  look: () => void;
}

function useLetter({ order, supplier, approvable, draft, look }: LetterProps, onSent: () => void) {
  const { workspace } = usePlace();
  const reload = useReloadPurchasing();
  // One key for one mail: a request that is repeated sends nothing twice.
  const [key] = useState(() => crypto.randomUUID());
  return useEdit<Fields, null>(undefined, {
    seen: null,
    toDraft: () => ({ to: draft.to.join(", "), cc: "", subject: draft.subject, text: draft.text }),
    save: async ({ to, cc, subject, text }) => {
      const path = { workspace: workspace.id, order };
      try {
        if (draft.unapproved_lines > 0)
          await approveLines({ path, body: { lines: refs(approvable) }, throwOnError: true });
        await sendOrder({
          path,
          query: partOf(supplier),
          body: {
            key,
            digest: draft.digest,
            ...(draft.last && { after: draft.last.id }),
            ...(draft.changes_digest && { changes_seen: draft.changes_digest }),
            to: addressesIn(to),
            cc: addressesIn(cc),
            subject,
            text,
            by_hand: !draft.can_mail,
          },
          throwOnError: true,
        });
      } catch (error) {
        // What is shown is no longer how it is.
        if (error instanceof ApiError && error.status === 409) look();
        void reload();
        throw error;
      }
      toast.success(
        draft.can_mail ? "The order is on its way" : "Kept in the order's timeline as sent by you",
      );
      return undefined;
    },
    onSaved: () => {
      onSent();
      void reload();
    },
  });
}

function Letter(props: LetterProps) {
  const { order, supplier, approvable, draft: mail, onClosed } = props;
  const { workspace } = usePlace();
  const [open, setOpen] = useState(true);
  const { session, draft, failure, saving, ...edit } = useLetter(props, () => setOpen(false));
  const change = (next: Partial<Fields>) => session.type({ ...session.state.draft, ...next });
  const approves = mail.unapproved_lines > 0 && approvable.length === mail.unapproved_lines;
  const hindered = mail.unapproved_lines > 0 && !approves;
  // The changes that this person has ticked; others may have come since.
  const [seen, setSeen] = useState("");
  const blocked = hindered || (mail.changes_digest ?? "") !== seen;
  const pdf = pdfAddress(workspace.id, order, supplier);
  const button = "max-md:h-11 max-md:flex-1";
  return (
    <Dialog
      title={`Send ${order}`}
      description={mail.supplier ?? "No supplier"}
      size="md"
      open={open}
      onOpenChange={(next) => !saving && setOpen(next)}
      onClosed={onClosed}
      edit={{ session, ...edit }}
      footer={
        <>
          <DialogClose>
            <Button className={button}>Cancel</Button>
          </DialogClose>
          {mail.can_mail || blocked ? (
            <Button
              variant="primary"
              className={button}
              loading={saving}
              disabled={blocked}
              onClick={() => void session.save()}
            >
              {approves ? "Approve and send" : mail.last ? "Send again" : "Send"}
            </Button>
          ) : (
            <a
              href={mailto(addressesIn(draft.to), draft.subject, draft.text)}
              className={cx(buttonClass("primary"), button)}
              onClick={(event) => {
                if (saving) return event.preventDefault();
                download(pdf);
                void session.save();
              }}
            >
              {approves ? "Approve, download and open mail program" : "Download and open mail program"}
            </a>
          )}
        </>
      }
    >
      <form className="flex flex-col gap-4" onSubmit={(event) => event.preventDefault()}>
        <Before mail={mail} hindered={hindered} />
        <SupplierChanges mail={mail} seen={seen} onSeen={setSeen} />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="To" error={failure?.fieldError("to")}>
            <Input
              value={draft.to}
              maxLength={2000}
              placeholder="orders@example.com"
              onChange={(event) => change({ to: event.currentTarget.value })}
            />
          </Field>
          <Field label="Cc" optional error={failure?.fieldError("cc")}>
            <Input
              value={draft.cc}
              maxLength={2000}
              onChange={(event) => change({ cc: event.currentTarget.value })}
            />
          </Field>
        </div>
        {mail.can_mail && (
          <Receivers
            order={order}
            supplier={supplier}
            mail={mail}
            typed={addressesIn(`${draft.to} ${draft.cc}`)}
            look={props.look}
          />
        )}
        <Field label="Subject" error={failure?.fieldError("subject")}>
          <Input
            value={draft.subject}
            maxLength={200}
            onChange={(event) => change({ subject: event.currentTarget.value })}
          />
        </Field>
        <Field label="Text" error={failure?.fieldError("text")}>
          <Textarea
            rows={9}
            maxLength={2000}
            value={draft.text}
            onChange={(event) => change({ text: event.currentTarget.value })}
          />
        </Field>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <a
            href={pdf}
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-h-6 items-center gap-1 rounded-sm text-accent-ink hover:underline max-md:min-h-11"
          >
            <FileText className="size-4" aria-hidden />
            {order}.pdf
          </a>
          <span className="text-muted">{mail.can_mail ? "is attached." : "Attach it to the mail."}</span>
        </p>
        {failure && <Refusal error={failure} />}
      </form>
    </Dialog>
  );
}

function download(address: string) {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

const changedFields = {
  email: "Mail address",
  address: "Postal address",
  payment_terms_days: "Days until an invoice is due",
};

interface SupplierChangesProps {
  mail: OrderDraft;
  seen: string;
  onSeen: (digest: string) => void;
}

/** What was changed in the supplier's record since the last order. Nobody sends an order without having seen it. */
function SupplierChanges({ mail, seen, onSeen }: SupplierChangesProps) {
  const actor = useActors();
  const digest = mail.changes_digest ?? "";
  if (mail.supplier_changes.length === 0) return null;
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
      <p>The supplier's record was changed since the last order. Check with the supplier before you send.</p>
      <ul className="list-disc pl-5">
        {mail.supplier_changes.map(({ field, was, is, by_type = "", by_id, at }) => (
          <li key={field} className="wrap-anywhere">
            {changedFields[field]}: {was || "none"} → <strong>{is || "none"}</strong>,{" "}
            {at ? (
              <>
                by {actor({ by_type, ...(by_id && { by_id }) })} <Time inline value={at} />
              </>
            ) : (
              "by whom is no longer known"
            )}
          </li>
        ))}
      </ul>
      <Checkbox
        label="I have checked this"
        checked={seen === digest}
        onCheckedChange={(checked) => onSeen(checked ? digest : "")}
      />
    </div>
  );
}

/** What a person should know before they send: what hinders, what was sent before, what is missing. */
function Before({ mail, hindered }: { mail: OrderDraft; hindered: boolean }) {
  const { workspace } = usePlace();
  const actor = useActors();
  const { locale } = workspace;
  const count = mail.unapproved_lines;
  return (
    <>
      {count > 0 && (
        <p role={hindered ? "alert" : undefined} className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          {unapprovedOf({ count, all: mail.lines }, locale)}
          {hindered && " Suppliers get approved lines only."}
        </p>
      )}
      {mail.outside_lines > 0 && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          {outsideOf({ count: mail.outside_lines, all: mail.lines }, locale)}
        </p>
      )}
      {mail.last && (
        <p className="text-muted">
          {actor(mail.last)} {mailState(mail.last).told} <Time inline value={mail.last.at} />.
          {mail.changed_lines > 0 && ` ${changedSinceSent({ count: mail.changed_lines }, locale)}.`}
        </p>
      )}
      {!mail.can_mail && (
        <p className="text-muted">
          No mail server is configured: you send the mail with your own program, and the timeline keeps it.
        </p>
      )}
      {mail.missing.length > 0 && (
        <div className="text-muted">
          <p>Left out of the document:</p>
          <ul className="list-disc pl-5">
            {mail.missing.map(({ code, words }) => (
              <li key={code}>
                {words} <Mend code={code} mail={mail} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** Where somebody says what is missing. */
function Mend({ code, mail }: { code: string; mail: OrderDraft }) {
  const { workspace, can } = usePlace();
  const look = "rounded-sm text-accent-ink underline";
  if (code.startsWith("our_") || code === "delivery_address")
    return (
      can("manage_workspaces") && (
        <Link to="/w/$workspace/workspaces" params={{ workspace: workspace.id }} className={look}>
          Settings
        </Link>
      )
    );
  return (
    mail.supplier_id &&
    can("edit_records") && (
      <Link
        to="/w/$workspace/tables/$slug"
        params={{ workspace: workspace.id, slug: "suppliers" }}
        search={{ record: mail.supplier_id }}
        className={look}
      >
        Edit
      </Link>
    )
  );
}
