import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useId, useState } from "react";
import {
  listApprovalLimitsOptions,
  listApprovalLimitsQueryKey,
  setApprovalLimitMutation,
  setPurchasingRulesMutation,
} from "@/api/@tanstack/react-query.gen";
import { getPurchasingRules } from "@/api/sdk.gen";
import type { Limit, Member, Rules } from "@/api/types.gen";
import { RoleBadge } from "@/features/members/role-badge";
import { useMembers } from "@/features/members/use-company-lists";
import { typedDecimal } from "@/lib/decimal";
import { type ApiError, toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Checkbox } from "@/ui/checkbox";
import { Dialog, DialogClose } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { IconButton } from "@/ui/icon-button";
import { Input } from "@/ui/input";
import { Money } from "@/ui/num";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { toast } from "@/ui/toast";
import { Refusal } from "./parts";

/** The rules that purchasing goes by, and who approves up to how much. */
export function PurchasingPage() {
  const { workspace, can } = usePlace();
  return (
    <Page
      title="Purchasing"
      description={
        can("manage_purchasing")
          ? `The rules of ${workspace.name}: who approves, and what needs a second look.`
          : `The rules of ${workspace.name}. A Company-Admin changes them.`
      }
    >
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <RulesCard />
        <LimitsCard />
      </div>
    </Page>
  );
}

interface Seen {
  rules: Rules;
  /** The version that goes back with a change. */
  etag: string;
}

function useRules() {
  const { workspace } = usePlace();
  return useQuery({
    queryKey: ["purchasing-rules", workspace.id],
    queryFn: async ({ signal }): Promise<Seen> => {
      const { data, response } = await getPurchasingRules({
        path: { workspace: workspace.id },
        signal,
        throwOnError: true,
      });
      return { rules: data, etag: response.headers.get("etag") ?? "" };
    },
  });
}

function RulesCard() {
  const { data, error, refetch } = useRules();
  return (
    <Card title="Rules">
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={5} label="Loading the rules" />}
      {data && <RulesForm key={data.etag} seen={data} reload={refetch} />}
    </Card>
  );
}

function RulesForm({ seen, reload }: { seen: Seen; reload: () => Promise<unknown> }) {
  const { workspace, can } = usePlace();
  const [rules, setRules] = useState(seen.rules);
  const [failure, setFailure] = useState<ApiError>();
  const { mutateAsync, isPending } = useMutation(setPurchasingRulesMutation());
  const fixed = !can("manage_purchasing");
  const change = (next: Partial<Rules>) => setRules((before) => ({ ...before, ...next }));
  const changed = JSON.stringify(rules) !== JSON.stringify(seen.rules);

  async function save() {
    setFailure(undefined);
    try {
      await mutateAsync({
        path: { workspace: workspace.id },
        headers: { "If-Match": seen.etag },
        body: {
          ...rules,
          over_receipt_percent: typedDecimal(rules.over_receipt_percent),
          reapproval_percent: typedDecimal(rules.reapproval_percent),
        },
      });
      toast.success("Purchasing rules saved");
      await reload();
    } catch (cause) {
      setFailure(toApiError(cause));
    }
  }

  const stale = failure?.status === 412;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Checkbox
        label="Four eyes"
        hint={
          rules.four_eyes
            ? "Nobody approves a line that they made or whose amount they changed last."
            : "Whoever made a line may approve it. Each such approval is marked as its own."
        }
        disabled={fixed}
        checked={rules.four_eyes}
        onCheckedChange={(four_eyes) => change({ four_eyes })}
      />
      <Checkbox
        label="Agents may submit"
        hint={
          rules.agents_submit
            ? "Agents draft lines and ask for approval. A person still approves."
            : "Agents draft lines; a buyer submits them."
        }
        disabled={fixed}
        checked={rules.agents_submit}
        onCheckedChange={(agents_submit) => change({ agents_submit })}
      />
      <Field
        label="More may arrive than was ordered"
        hint="Up to this it is booked without a question. Beyond it must be confirmed, and what external systems book is flagged."
        error={failure?.fieldError("over_receipt_percent")}
        disabled={fixed}
      >
        <Input
          inputMode="decimal"
          trail="%"
          value={rules.over_receipt_percent}
          onChange={(event) => change({ over_receipt_percent: event.currentTarget.value })}
        />
      </Field>
      <Field
        label="Price and quantity may rise after approval"
        hint="In all, since the approval. More than this sends the line back for approval."
        error={failure?.fieldError("reapproval_percent")}
        disabled={fixed}
      >
        <Input
          inputMode="decimal"
          trail="%"
          value={rules.reapproval_percent}
          onChange={(event) => change({ reapproval_percent: event.currentTarget.value })}
        />
      </Field>
      {failure && failure.errors.length === 0 && (
        <div className="flex flex-col items-start gap-2">
          <Refusal error={failure} />
          {stale && <Button onClick={() => void reload()}>Load the rules again</Button>}
        </div>
      )}
      {!fixed && (
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          loading={isPending}
          disabled={!changed}
        >
          Save rules
        </Button>
      )}
    </form>
  );
}

function LimitsCard() {
  const { workspace, can } = usePlace();
  const { members, error } = useMembers();
  const limits = useQuery(listApprovalLimitsOptions({ path: { workspace: workspace.id } }));
  const [editing, setEditing] = useState<Member>();
  const approvers = members?.filter(({ role }) => role === "approver" || role === "company_admin");
  const limitOf = (id: string) => limits.data?.items.find(({ member }) => member === id);
  const failed = error ?? limits.error;
  return (
    <Card
      flush
      title="Approval limits"
      description="Up to how much a person approves, for an order as a whole. An order with lines in another currency needs somebody without a limit."
    >
      {failed && (
        <div className="p-4">
          <ErrorNote error={failed} />
        </div>
      )}
      {!failed && !(approvers && limits.data) && (
        <div className="p-4">
          <SkeletonText label="Loading the limits" />
        </div>
      )}
      {approvers && limits.data && (
        <Table caption="Approval limits">
          <thead>
            <tr>
              <Th>Approver</Th>
              <Th num>Limit</Th>
              {can("manage_purchasing") && (
                <Th className="w-0">
                  <span className="sr-only">Change</span>
                </Th>
              )}
            </tr>
          </thead>
          <tbody>
            {approvers.map((member) => {
              const limit = limitOf(member.id);
              return (
                <Tr key={member.id}>
                  <Td className="py-1.5">
                    <span className="flex flex-wrap items-center gap-2">
                      {member.name}
                      <RoleBadge role={member.role} />
                    </span>
                  </Td>
                  <Td num>
                    {limit ? (
                      <Money amount={limit.amount} currency={limit.currency} />
                    ) : (
                      <span className="text-muted">No limit</span>
                    )}
                  </Td>
                  {can("manage_purchasing") && (
                    <Td>
                      <IconButton
                        label={`Change the limit of ${member.name}`}
                        icon={<Pencil aria-hidden />}
                        size="sm"
                        onClick={() => setEditing(member)}
                      />
                    </Td>
                  )}
                </Tr>
              );
            })}
          </tbody>
        </Table>
      )}
      {editing && (
        <LimitDialog member={editing} limit={limitOf(editing.id)} onClosed={() => setEditing(undefined)} />
      )}
    </Card>
  );
}

interface LimitDialogProps {
  member: Member;
  limit: Limit | undefined;
  onClosed: () => void;
}

function LimitDialog({ member, limit, onClosed }: LimitDialogProps) {
  const { workspace } = usePlace();
  const queryClient = useQueryClient();
  const formId = useId();
  const [open, setOpen] = useState(true);
  const [amount, setAmount] = useState(limit?.amount ?? "");
  const [currency, setCurrency] = useState(limit?.currency ?? workspace.base_currency);
  const [failure, setFailure] = useState<ApiError>();
  const { mutateAsync, isPending } = useMutation(setApprovalLimitMutation());

  async function save() {
    setFailure(undefined);
    try {
      const path = { workspace: workspace.id, approver: member.id };
      await mutateAsync({ path, body: { amount: typedDecimal(amount), currency: currency.toUpperCase() } });
      toast.success(amount.trim() ? `Limit of ${member.name} saved` : `${member.name} has no limit now`);
      setOpen(false);
      await queryClient.invalidateQueries({
        queryKey: listApprovalLimitsQueryKey({ path: { workspace: workspace.id } }),
      });
    } catch (cause) {
      setFailure(toApiError(cause));
    }
  }

  return (
    <Dialog
      title={`Approval limit of ${member.name}`}
      description="For an order as a whole. Empty: no limit."
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={isPending}>
            Save limit
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div className="grid grid-cols-[1fr_6rem] gap-3">
          <Field label="Amount" optional error={failure?.fieldError("amount")}>
            <Input
              inputMode="decimal"
              autoComplete="off"
              value={amount}
              onChange={(event) => setAmount(event.currentTarget.value)}
            />
          </Field>
          <Field label="Currency" error={failure?.fieldError("currency")}>
            <Input
              maxLength={3}
              autoComplete="off"
              value={currency}
              onChange={(event) => setCurrency(event.currentTarget.value)}
            />
          </Field>
        </div>
        {failure && failure.errors.length === 0 && <Refusal error={failure} />}
      </form>
    </Dialog>
  );
}
