import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { makePasswordLinkMutation } from "@/api/@tanstack/react-query.gen";
import type { Link, Member } from "@/api/types.gen";
import { toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Secret } from "@/ui/secret";
import { Time } from "@/ui/time";

export function PasswordLinkDialog({ member, onClosed }: { member: Member; onClosed: () => void }) {
  const [open, setOpen] = useState(true);
  const { company } = usePlace();
  const { mutate, data, error, isPending } = useMutation(makePasswordLinkMutation());
  // Trying again would not help.
  const refused = error !== null && toApiError(error).status === 409;
  return (
    <Dialog
      title="Password link"
      description={`${member.name} can use it to choose a new password.`}
      open={open}
      // An unsaved link must not be lost by an accidental click.
      onOpenChange={(next) => !data && !isPending && setOpen(next)}
      onClosed={onClosed}
      footer={
        !data && (
          <>
            <DialogClose>
              <Button>{refused ? "Close" : "Cancel"}</Button>
            </DialogClose>
            {!refused && (
              <Button
                variant="primary"
                loading={isPending}
                onClick={() => mutate({ path: { tenant: company.id, member: member.id } })}
              >
                Make link
              </Button>
            )}
          </>
        )
      }
    >
      {data ? (
        <Made link={data} email={member.email} onSaved={() => setOpen(false)} />
      ) : (
        <div className="flex flex-col gap-3">
          <p className="text-muted">
            Anyone with the link can take over the account, so send it only to{" "}
            <strong className="wrap-anywhere font-semibold text-ink">{member.email}</strong>. The current
            password works until the link is used.
          </p>
          {error && <ErrorNote error={error} />}
        </div>
      )}
    </Dialog>
  );
}

function Made({ link, email, onSaved }: { link: Link; email: string; onSaved: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <Secret
        label="The link"
        value={link.link}
        advice={`Copy it and send it to ${email}.`}
        saved="I sent it"
        onSaved={onSaved}
      />
      <p className="text-muted">
        It works once and ends <Time inline value={link.expires_at} />.
      </p>
    </div>
  );
}
