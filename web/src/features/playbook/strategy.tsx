import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useRef } from "react";
import {
  changeStrategyMutation,
  createStrategyMutation,
  getStrategyOptions,
  listStrategyVersionsOptions,
  listStrategyVersionsQueryKey,
  previewStrategyChangeMutation,
  previewStrategyMutation,
} from "@/api/@tanstack/react-query.gen";
import { getStrategy } from "@/api/sdk.gen";
import type { ConfigKey, Strategy } from "@/api/types.gen";
import { useWhoChanged } from "@/features/audit/who-changed";
import { useEdit } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { Page } from "@/ui/page";
import { SkeletonText } from "@/ui/skeleton";
import { toast } from "@/ui/toast";
import { ChoiceField } from "./choice-field";
import { DocumentForm } from "./document-form";
import { EffectPanel } from "./effect-panel";
import { KeyField, TextField } from "./fields";
import {
  type Draft,
  draftOf,
  given,
  isNew,
  keyLabel,
  readValues,
  scopeChoices,
  statusChoices,
} from "./model";
import { BackTo, DocumentStatus } from "./parts";
import { useConfig, useReloadPlaybook } from "./queries";
import { Versions } from "./versions";

const back = <BackTo tab="strategies" label="Strategies" />;

/** One strategy, or the form for a new one. */
export function StrategyPage() {
  const { workspace } = usePlace();
  const { strategy } = useParams({ from: "/inside/w/$workspace/playbook/strategies/$strategy" });
  const path = { workspace: workspace.id, strategy };
  const found = useQuery({ ...getStrategyOptions({ path }), enabled: !isNew(strategy) });
  const config = useConfig();
  const error = found.error ?? config.error;
  const keys = config.data?.keys.filter(({ planning }) => planning);
  const ready = keys && (isNew(strategy) || found.data);
  const title = isNew(strategy) ? "New strategy" : (found.data?.title ?? "Strategy");
  return (
    <Page title={title} above={back} description={found.data && <DocumentStatus {...found.data} />}>
      {!ready &&
        (error ? <ErrorNote error={error} /> : <SkeletonText lines={8} label="Loading the strategy" />)}
      {ready && (
        <div className="flex flex-col gap-4">
          <StrategyForm seen={found.data} keys={keys} reload={found.refetch} />
          {found.data && <StrategyVersions strategy={found.data.id} />}
        </div>
      )}
    </Page>
  );
}

const labels: Record<string, string> = {
  title: "Title",
  scope: "Applies to",
  target: "Target",
  body: "Text",
  status: "Status",
  effective_from: "First day",
  effective_until: "Last day",
  note: "Note",
};

const targets: Record<string, string> = {
  family: "The family's name, as on its articles.",
  supplier: "The supplier's id, from the table of suppliers.",
  product: "The article's id, from the table of products.",
};

function toDraft(seen: Strategy | undefined, keys: ConfigKey[], locale: string): Draft {
  return {
    title: seen?.title ?? "",
    scope: seen?.scope ?? "workspace",
    target: seen?.target ?? "",
    body: seen?.body ?? "",
    status: seen?.status ?? "draft",
    effective_from: seen?.effective_from ?? "",
    effective_until: seen?.effective_until ?? "",
    note: "",
    ...draftOf(keys, seen?.parameters ?? {}, locale),
  };
}

/** The fields of a request that a draft stands for. */
function fieldsOf(draft: Draft, keys: ConfigKey[], locale: string) {
  const { title = "", body = "", note = "", effective_from = "", effective_until = "" } = draft;
  const scope = draft.scope as Strategy["scope"];
  return {
    title,
    scope,
    target: scope === "workspace" ? "" : (draft.target ?? ""),
    body,
    status: draft.status as Strategy["status"],
    parameters: given(readValues(keys, draft, locale)),
    effective_from,
    effective_until,
    note,
  };
}

/** Names the version that a change is made from. */
const from = ({ id, version }: Strategy, workspace: string) => ({
  path: { workspace, strategy: id },
  headers: { "If-Match": `"${version}"` },
});

interface StrategyFormProps {
  seen: Strategy | undefined;
  keys: ConfigKey[];
  reload: () => Promise<unknown>;
}

function useStrategyEdit({ seen, keys, reload }: StrategyFormProps) {
  const { workspace } = usePlace();
  const create = useMutation(createStrategyMutation());
  const change = useMutation(changeStrategyMutation());
  const whoChanged = useWhoChanged();
  const reloadAll = useReloadPlaybook();
  const go = useNavigate();
  const made = useRef<string>(undefined);
  const path = { workspace: workspace.id };
  return useEdit<Draft, Strategy | undefined>(`strategy/${seen?.id ?? "new"}`, {
    seen,
    follow: true,
    toDraft: (of) => toDraft(of, keys, workspace.locale),
    save: async (draft, before) => {
      const body = fieldsOf(draft, keys, workspace.locale);
      const saved = before
        ? await change.mutateAsync({ ...from(before, workspace.id), body })
        : await create.mutateAsync({ path, body });
      toast.success(`Strategy “${saved.title}” saved`);
      void reloadAll(listStrategyVersionsQueryKey({ path: { ...path, strategy: saved.id } }));
      if (before) void reload();
      else made.current = saved.id;
      return saved;
    },
    onSaved: () => {
      if (made.current)
        void go({
          to: "/w/$workspace/playbook/strategies/$strategy",
          params: { ...path, strategy: made.current },
          replace: true,
        });
    },
    look: async () => {
      if (!seen) return { seen };
      const who = whoChanged("strategy.changed", seen.id);
      const { data } = await getStrategy({ path: { ...path, strategy: seen.id }, throwOnError: true });
      return { seen: data, ...(await who) };
    },
  });
}

/** Asks what a strategy would do. */
function useStrategyEffect(keys: ConfigKey[]) {
  const { workspace } = usePlace();
  const create = useMutation(previewStrategyMutation());
  const change = useMutation(previewStrategyChangeMutation());
  return async (draft: Draft, before: Strategy | undefined) => {
    const body = fieldsOf(draft, keys, workspace.locale);
    return before
      ? change.mutateAsync({ ...from(before, workspace.id), body })
      : create.mutateAsync({ path: { workspace: workspace.id }, body });
  };
}

function StrategyForm(props: StrategyFormProps) {
  const { can } = usePlace();
  const edit = useStrategyEdit(props);
  const compute = useStrategyEffect(props.keys);
  const { keys } = props;
  const scope = edit.draft.scope ?? "workspace";
  return (
    <DocumentForm
      edit={edit}
      fixed={!can("manage_purchasing")}
      save="Save strategy"
      labels={{ ...labels, ...Object.fromEntries(keys.map(({ name }) => [name, keyLabel(name)])) }}
      after={(fields) => (
        <Card
          title="Parameters"
          description="What it overrides. Numbers come only from here, never from the text."
        >
          <div className="grid items-start gap-x-6 gap-y-4 md:grid-cols-2">
            {keys.map((key) => (
              <KeyField key={key.name} of={key} override {...fields} />
            ))}
          </div>
        </Card>
      )}
      effect={<EffectPanel edit={edit} compute={compute} />}
    >
      {(fields) => (
        <>
          <TextField {...fields} name="title" label="Title" />
          <ChoiceField {...fields} name="status" label="Status" options={statusChoices} />
          <ChoiceField {...fields} name="scope" label="Applies to" options={scopeChoices} />
          {scope !== "workspace" && (
            <TextField
              {...fields}
              name="target"
              label="Target"
              hint={targets[scope]}
              mono={scope !== "family"}
            />
          )}
          <TextField
            {...fields}
            name="effective_from"
            label="First day"
            type="date"
            hint="Empty: at once."
            optional
          />
          <TextField
            {...fields}
            name="effective_until"
            label="Last day"
            type="date"
            hint="Empty: for ever."
            optional
          />
        </>
      )}
    </DocumentForm>
  );
}

/** A version as text, for comparison. */
function asText({
  title,
  scope,
  target,
  status,
  effective_from,
  effective_until,
  parameters,
  body,
}: Strategy) {
  const values = Object.entries(parameters).map(([name, value]) => `${name}: ${value}`);
  const lines = { title, scope, target, status, effective_from, effective_until };
  return [
    ...Object.entries(given(lines)).map(([name, value]) => `${name}: ${value}`),
    ...values.sort(),
    "",
    body,
  ].join("\n");
}

function StrategyVersions({ strategy }: { strategy: string }) {
  const { workspace } = usePlace();
  const list = useQuery(listStrategyVersionsOptions({ path: { workspace: workspace.id, strategy } }));
  return <Versions list={list} textOf={asText} about={({ status }) => status} empty="No versions." />;
}
