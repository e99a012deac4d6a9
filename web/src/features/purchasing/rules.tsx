import { useMutation, useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { listApprovalLimitsOptions, setPurchasingRulesMutation } from "@/api/@tanstack/react-query.gen";
import { getPurchasingRules } from "@/api/sdk.gen";
import type { Member, Rules } from "@/api/types.gen";
import { useWhoChanged } from "@/features/audit/who-changed";
import { useMembers } from "@/features/members/queries";
import { RoleBadge } from "@/features/members/role-badge";
import { typedDecimals, writeDecimal } from "@/lib/decimal-text";
import { useDrafts, useEdit } from "@/lib/edit";
import { useFocusRefused } from "@/lib/focus";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Checkbox } from "@/ui/checkbox";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { FormConflict } from "@/ui/form-conflict";
import { IconButton } from "@/ui/icon-button";
import { Input } from "@/ui/input";
import { Money } from "@/ui/num";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { Table, Td, Th, Tr } from "@/ui/table";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { LimitDialog, limitOfMember } from "./limit-dialog";
import { Refusal } from "./parts";

/** The purchasing rules and the approval limits. */
export function PurchasingPage() {
  const { workspace, can } = usePlace();
  return (
    <Page
      title="Purchasing rules"
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
  /** The version to send with a change. */
  etag: string;
}

function useRules() {
  const { workspace } = usePlace();
  return useQuery({
    queryKey: ["purchasing-rules", workspace.id],
    queryFn: ({ signal }) => readRules(workspace.id, signal),
  });
}

async function readRules(workspace: string, signal?: AbortSignal): Promise<Seen> {
  const { data, response } = await getPurchasingRules({
    path: { workspace },
    ...(signal && { signal }),
    throwOnError: true,
  });
  return { rules: data, etag: response.headers.get("etag") ?? "" };
}

function useRulesEdit(seen: Seen, reload: () => Promise<unknown>) {
  const { workspace } = usePlace();
  const { mutateAsync } = useMutation(setPurchasingRulesMutation());
  const whoChanged = useWhoChanged();
  const path = { workspace: workspace.id };
  return useEdit<Rules, Seen>("purchasing-rules", {
    seen,
    toDraft: ({ rules }) => ({
      ...rules,
      over_receipt_percent: writeDecimal(rules.over_receipt_percent, workspace.locale),
      reapproval_percent: writeDecimal(rules.reapproval_percent, workspace.locale),
    }),
    follow: true,
    save: async (rules, { etag }) => {
      const { over_receipt_percent, reapproval_percent } = rules;
      const typed = typedDecimals({ over_receipt_percent, reapproval_percent }, workspace.locale);
      await mutateAsync({
        path,
        headers: { "If-Match": etag },
        body: {
          ...rules,
          ...typed,
        },
      });
      const saved = await readRules(workspace.id);
      toast.success("Purchasing rules saved");
      void reload();
      return saved;
    },
    look: async () => {
      const who = whoChanged("purchasing_rules.changed", workspace.id);
      return { seen: await readRules(workspace.id), ...(await who) };
    },
  });
}

function RulesCard() {
  const { data, error, refetch } = useRules();
  return (
    <Card title="Rules">
      {error && !data && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <SkeletonText lines={5} label="Loading the rules" />}
      {data && <RulesForm seen={data} reload={refetch} />}
    </Card>
  );
}

const ruleNames: Record<keyof Rules, string> = {
  four_eyes: "Four eyes",
  agents_submit: "Agents may submit",
  over_receipt_percent: "More may arrive than was ordered",
  reapproval_percent: "Price and quantity may rise after approval",
};

function RulesForm({ seen, reload }: { seen: Seen; reload: () => Promise<unknown> }) {
  const { can } = usePlace();
  const edit = useRulesEdit(seen, reload);
  const { session, draft: rules, failure, dirty, saving, restored, theirs } = edit;
  const fixed = !can("manage_purchasing");
  const form = useFocusRefused(failure);
  const change = (next: Partial<Rules>) => session.type({ ...session.state.draft, ...next });
  return (
    <form
      ref={form}
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void session.save();
      }}
    >
      <Checkbox
        label="Four eyes"
        hint={
          rules.four_eyes
            ? "Nobody can approve a line that they made or whose amount they changed last."
            : "People can approve their own lines. Each such approval is marked."
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
        hint="Up to this much is booked without a question. More must be confirmed, and receipts from external systems are flagged."
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
        hint="In total since the approval. A larger rise sends the line back for approval."
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
      {restored && !theirs && <UnsavedNote onDiscard={() => session.type(edit.start)} />}
      {failure && failure.errors.length === 0 && <Refusal error={failure} />}
      <FormConflict
        edit={edit}
        labels={ruleNames}
        show={(value) => (typeof value === "boolean" ? (value ? "on" : "off") : `${value} %`)}
      />
      {!fixed && !theirs && (
        <Button type="submit" variant="primary" className="self-start" loading={saving} disabled={!dirty}>
          Save rules
        </Button>
      )}
    </form>
  );
}

function LimitsCard() {
  const { workspace, can } = usePlace();
  const { rows: members, error } = useMembers();
  const limits = useQuery(listApprovalLimitsOptions({ path: { workspace: workspace.id } }));
  const drafts = useDrafts();
  const [kept] = useState(() => drafts(limitOfMember("")));
  const [chosen, setEditing] = useState<Member | "none">();
  // A draft from before a reload opens its dialog again.
  const editing =
    chosen === "none" ? undefined : (chosen ?? members?.find(({ id }) => kept.includes(limitOfMember(id))));
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
      {editing && limits.data && (
        <LimitDialog member={editing} limit={limitOf(editing.id)} onClosed={() => setEditing("none")} />
      )}
    </Card>
  );
}
