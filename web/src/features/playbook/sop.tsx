import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useRef } from "react";
import {
  changeSopMutation,
  createSopMutation,
  getSopOptions,
  listSopVersionsOptions,
  listSopVersionsQueryKey,
} from "@/api/@tanstack/react-query.gen";
import { getSop } from "@/api/sdk.gen";
import type { Sop } from "@/api/types.gen";
import { useWhoChanged } from "@/features/audit/who-changed";
import { useEdit } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { ErrorNote } from "@/ui/error-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { toast } from "@/ui/toast";
import { ChoiceField } from "./choice-field";
import { DocumentForm } from "./document-form";
import { TextField } from "./fields";
import { type Draft, given, isNew, roleChoices, statusChoices } from "./model";
import { BackTo, DocumentStatus } from "./parts";
import { useReloadPlaybook } from "./queries";
import { Versions } from "./versions";

const back = <BackTo tab="sops" label="SOPs" />;

/** One SOP, or the form for a new one. */
export function SopPage() {
  const { workspace } = usePlace();
  const { sop } = useParams({ from: "/inside/w/$workspace/playbook/sops/$sop" });
  const path = { workspace: workspace.id, sop };
  const { data, error, refetch } = useQuery({ ...getSopOptions({ path }), enabled: !isNew(sop) });
  const ready = isNew(sop) || data;
  const title = isNew(sop) ? "New SOP" : (data?.title ?? "SOP");
  return (
    <Page title={title} above={back} description={data && <DocumentStatus {...data} />}>
      {!ready &&
        (error ? (
          <ErrorNote error={error} retry={refetch} />
        ) : (
          <SkeletonText lines={8} label="Loading the SOP" />
        ))}
      {ready && (
        <div className="flex flex-col gap-4">
          <SopForm seen={data} reload={refetch} />
          {data && <SopVersions sop={data.slug} />}
        </div>
      )}
    </Page>
  );
}

const labels: Record<string, string> = {
  slug: "Slug",
  title: "Title",
  trigger: "When",
  body: "Text",
  owner_role: "Owner",
  status: "Status",
  review_date: "Review on",
  note: "Note",
};

function toDraft(seen: Sop | undefined): Draft {
  return {
    slug: seen?.slug ?? "",
    title: seen?.title ?? "",
    trigger: seen?.trigger ?? "",
    body: seen?.body ?? "",
    owner_role: seen?.owner_role ?? "buyer",
    status: seen?.status ?? "draft",
    review_date: seen?.review_date ?? "",
    note: "",
  };
}

interface SopFormProps {
  seen: Sop | undefined;
  reload: () => Promise<unknown>;
}

function useSopEdit({ seen, reload }: SopFormProps) {
  const { workspace } = usePlace();
  const create = useMutation(createSopMutation());
  const change = useMutation(changeSopMutation());
  const whoChanged = useWhoChanged();
  const reloadAll = useReloadPlaybook();
  const go = useNavigate();
  const made = useRef<string>(undefined);
  const path = { workspace: workspace.id };
  return useEdit<Draft, Sop | undefined>(`sop/${seen?.id ?? "new"}`, {
    seen,
    follow: true,
    toDraft,
    save: async (draft, before) => {
      const { slug = "", title = "", trigger = "", body = "", review_date = "", note = "" } = draft;
      const owner_role = draft.owner_role as Sop["owner_role"];
      const fields = {
        title,
        trigger,
        body,
        owner_role,
        status: draft.status as Sop["status"],
        review_date,
        note,
      };
      const saved = before
        ? await change.mutateAsync({
            path: { ...path, sop: before.slug },
            headers: { "If-Match": `"${before.version}"` },
            body: fields,
          })
        : await create.mutateAsync({ path, body: { slug, ...fields } });
      toast.success(`SOP “${saved.title}” saved`);
      void reloadAll(listSopVersionsQueryKey({ path: { ...path, sop: saved.slug } }));
      if (before) void reload();
      else made.current = saved.slug;
      return saved;
    },
    onSaved: () => {
      if (made.current)
        void go({
          to: "/w/$workspace/playbook/sops/$sop",
          params: { ...path, sop: made.current },
          replace: true,
        });
    },
    look: async () => {
      if (!seen) return { seen };
      const who = whoChanged("sop.changed", seen.id);
      const { data } = await getSop({ path: { ...path, sop: seen.slug }, throwOnError: true });
      return { seen: data, ...(await who) };
    },
  });
}

function SopForm(props: SopFormProps) {
  const { can } = usePlace();
  const edit = useSopEdit(props);
  return (
    <DocumentForm edit={edit} fixed={!can("manage_purchasing")} save="Save SOP" labels={labels}>
      {(fields) => (
        <>
          <TextField {...fields} name="title" label="Title" />
          <TextField
            {...fields}
            fixed={fields.fixed || Boolean(props.seen)}
            name="slug"
            label="Slug"
            hint="Names the SOP, and never changes: lower-case letters, digits and hyphens."
            mono
          />
          <TextField {...fields} name="trigger" label="When" hint="What it is followed for." optional />
          <ChoiceField {...fields} name="owner_role" label="Owner" options={roleChoices} />
          <ChoiceField {...fields} name="status" label="Status" options={statusChoices} />
          <TextField
            {...fields}
            name="review_date"
            label="Review on"
            type="date"
            hint="Empty: never."
            optional
          />
        </>
      )}
    </DocumentForm>
  );
}

/** A version as text, for comparison. */
function asText({ title, trigger, owner_role, status, review_date, body }: Sop) {
  const lines = { title, trigger, owner_role, status, review_date };
  return [...Object.entries(given(lines)).map(([name, value]) => `${name}: ${value}`), "", body].join("\n");
}

function SopVersions({ sop }: { sop: string }) {
  const { workspace } = usePlace();
  const list = useQuery(listSopVersionsOptions({ path: { workspace: workspace.id, sop } }));
  return <Versions list={list} textOf={asText} about={({ status }) => status} empty="No versions." />;
}
