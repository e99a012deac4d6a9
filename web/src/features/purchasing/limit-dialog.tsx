import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { listApprovalLimitsQueryKey, setApprovalLimitMutation } from "@/api/@tanstack/react-query.gen";
import { listApprovalLimits } from "@/api/sdk.gen";
import type { Limit, Member } from "@/api/types.gen";
import { useWhoChanged } from "@/features/audit/who-changed";
import { typedDecimals, writeDecimal } from "@/lib/decimal-text";
import { useEdit } from "@/lib/edit";
import { same } from "@/lib/edit-state";
import { useFocusRefused } from "@/lib/focus";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog, DialogClose } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { FormConflict } from "@/ui/form-conflict";
import { Input } from "@/ui/input";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { Refusal } from "./parts";

/** Names the draft of a member's limit. */
export const limitOfMember = (id: string) => `approval-limit/${id}`;

interface Draft {
  amount: string;
  currency: string;
}

interface LimitDialogProps {
  member: Member;
  limit: Limit | undefined;
  onClosed: () => void;
}

export function LimitDialog({ member, limit, onClosed }: LimitDialogProps) {
  const formId = useId();
  const [open, setOpen] = useState(true);
  const edit = useLimitEdit(member, limit, () => setOpen(false));
  const { session, draft, failure, saving, restored, theirs } = edit;
  const form = useFocusRefused(failure);
  const change = (next: Partial<Draft>) => session.type({ ...session.state.draft, ...next });
  return (
    <Dialog
      title={`Approval limit of ${member.name}`}
      description="For an order as a whole. Empty: no limit."
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      edit={edit}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={saving} disabled={Boolean(theirs)}>
            Save limit
          </Button>
        </>
      }
    >
      <form
        ref={form}
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void session.save();
        }}
      >
        <div className="grid grid-cols-[1fr_6rem] gap-3">
          <Field label="Amount" optional error={failure?.fieldError("amount")}>
            <Input
              inputMode="decimal"
              autoComplete="off"
              value={draft.amount}
              onChange={(event) => change({ amount: event.currentTarget.value })}
            />
          </Field>
          <Field label="Currency" error={failure?.fieldError("currency")}>
            <Input
              maxLength={3}
              autoComplete="off"
              value={draft.currency}
              onChange={(event) => change({ currency: event.currentTarget.value })}
            />
          </Field>
        </div>
        {restored && !theirs && <UnsavedNote onDiscard={() => session.type(edit.start)} />}
        {failure && failure.errors.length === 0 && <Refusal error={failure} />}
        <FormConflict
          edit={edit}
          labels={{ amount: "Amount", currency: "Currency" }}
          show={(value, name) => value || (name === "amount" ? "no limit" : "")}
        />
      </form>
    </Dialog>
  );
}

function useLimitEdit(member: Member, limit: Limit | undefined, onSaved: () => void) {
  const { workspace } = usePlace();
  const queryClient = useQueryClient();
  const { mutateAsync } = useMutation(setApprovalLimitMutation());
  const whoChanged = useWhoChanged();
  const path = { workspace: workspace.id };
  const stored = async (): Promise<Limit | null> => {
    const { data } = await listApprovalLimits({ path, throwOnError: true });
    return data.items.find((one) => one.member === member.id) ?? null;
  };
  return useEdit<Draft, Limit | null>(limitOfMember(member.id), {
    seen: limit ?? null,
    toDraft: (seen) => ({
      amount: writeDecimal(seen?.amount ?? "", workspace.locale),
      currency: seen?.currency ?? workspace.base_currency,
    }),
    save: async ({ amount, currency }, seen) => {
      const typed = typedDecimals({ amount }, workspace.locale);
      // A limit has no version, so it is read again just before it is replaced.
      if (!same(await stored(), seen)) throw new ApiError({ code: "stale" }, 412);
      await mutateAsync({
        path: { ...path, approver: member.id },
        body: { ...typed, currency: currency.toUpperCase() },
      });
      toast.success(amount.trim() ? `Limit of ${member.name} saved` : `${member.name} has no limit now`);
      await queryClient.invalidateQueries({ queryKey: listApprovalLimitsQueryKey({ path }) });
      return undefined;
    },
    look: async () => {
      const who = whoChanged("approval_limit.changed", member.id);
      return { seen: await stored(), ...(await who) };
    },
    onSaved,
  });
}
