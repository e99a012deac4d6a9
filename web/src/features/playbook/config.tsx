import { useMutation } from "@tanstack/react-query";
import { previewPlaybookConfigMutation, setPlaybookConfigMutation } from "@/api/@tanstack/react-query.gen";
import { getPlaybookConfig } from "@/api/sdk.gen";
import type { ConfigKey, PlaybookConfig } from "@/api/types.gen";
import { useWhoChanged } from "@/features/audit/who-changed";
import { useEdit } from "@/lib/edit";
import { useFocusRefused } from "@/lib/focus";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { FormConflict } from "@/ui/form-conflict";
import { SkeletonText } from "@/ui/skeleton";
import { toast } from "@/ui/toast";
import { UnsavedNote } from "@/ui/unsaved-note";
import { ConfigVersions } from "./config-versions";
import { EffectPanel } from "./effect-panel";
import { type FormFields, KeyField, TextField } from "./fields";
import { type Draft, differing, draftOf, keyLabel, readValues } from "./model";
import { useConfig, useReloadPlaybook } from "./queries";

/** The purchasing config: a form of all keys, and its versions. */
export function ConfigCard() {
  const { data, error, refetch } = useConfig();
  if (error && !data) return <ErrorNote error={error} retry={refetch} />;
  if (!data) return <SkeletonText lines={8} label="Loading the config" />;
  return (
    <div className="flex flex-col gap-4">
      <ConfigForm seen={data} />
      <ConfigVersions />
    </div>
  );
}

const groups: { title: string; description: string; has: (key: ConfigKey) => boolean }[] = [
  {
    title: "Planning",
    description: "Figures for what to order, how much and when. Strategies override them for some articles.",
    has: ({ planning }) => planning,
  },
  {
    title: "Orders and suggestions",
    description: "Rules for approval, receipts and suggestions.",
    has: ({ planning, name }) => !planning && !name.startsWith("agent_"),
  },
  {
    title: "Agents",
    description: "What agents may do by themselves.",
    has: ({ name }) => name.startsWith("agent_"),
  },
];

const valuesOf = ({ keys }: PlaybookConfig) =>
  Object.fromEntries(keys.map(({ name, value }) => [name, value]));

/** The request that a draft stands for, with what it was made from. */
function requestOf(
  { note = "", effective_from = "", ...draft }: Draft,
  before: PlaybookConfig,
  locale: string,
) {
  const values = differing(readValues(before.keys, draft, locale), valuesOf(before));
  return { headers: { "If-Match": `"${before.version}"` }, body: { values, note, effective_from } };
}

function useConfigEdit(seen: PlaybookConfig) {
  const { workspace } = usePlace();
  const { mutateAsync } = useMutation(setPlaybookConfigMutation());
  const whoChanged = useWhoChanged();
  const reload = useReloadPlaybook();
  const path = { workspace: workspace.id };
  return useEdit<Draft, PlaybookConfig>("playbook-config", {
    seen,
    follow: true,
    toDraft: (config) => ({
      ...draftOf(config.keys, valuesOf(config), workspace.locale),
      note: "",
      effective_from: "",
    }),
    save: async (draft, before) => {
      const saved = await mutateAsync({ path, ...requestOf(draft, before, workspace.locale) });
      toast.success(draft.effective_from ? "Config saved; it takes effect later" : "Config saved");
      void reload();
      return saved;
    },
    look: async () => {
      const who = whoChanged("procurement_config.changed", workspace.id);
      const { data } = await getPlaybookConfig({ path, throwOnError: true });
      return { seen: data, ...(await who) };
    },
  });
}

function ConfigForm({ seen }: { seen: PlaybookConfig }) {
  const { can, workspace } = usePlace();
  const edit = useConfigEdit(seen);
  const preview = useMutation(previewPlaybookConfigMutation());
  const { session, failure, dirty, saving, restored, theirs } = edit;
  const form = useFocusRefused(failure);
  const fields: FormFields = { edit: edit as FormFields["edit"], fixed: !can("manage_purchasing") };
  const labels = Object.fromEntries(seen.keys.map(({ name }) => [name, keyLabel(name)]));
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
      {seen.version > seen.in_force_version && (
        <p className="text-base text-muted">Version {seen.version} takes effect later. Saving replaces it.</p>
      )}
      {groups.map(({ title, description, has }) => (
        <Card key={title} title={title} description={description}>
          <div className="grid items-start gap-x-6 gap-y-4 md:grid-cols-2">
            {seen.keys.filter(has).map((key) => (
              <KeyField key={key.name} of={key} {...fields} />
            ))}
          </div>
        </Card>
      ))}
      {!fields.fixed && !theirs && (
        <EffectPanel
          edit={edit}
          idle={!dirty}
          compute={async (draft, before) =>
            preview.mutateAsync({
              path: { workspace: workspace.id },
              ...requestOf(draft, before, workspace.locale),
            })
          }
        />
      )}
      {!fields.fixed && (
        <Card title="Save a version">
          <div className="flex flex-col gap-4">
            <div className="grid items-start gap-x-6 gap-y-4 md:grid-cols-2">
              <TextField
                {...fields}
                name="note"
                label="Note"
                hint="Why, for the list of versions."
                optional
              />
              <TextField
                {...fields}
                name="effective_from"
                label="Takes effect on"
                type="date"
                hint="Empty: at once."
                optional
              />
            </div>
            {restored && !theirs && <UnsavedNote onDiscard={() => session.type(edit.start)} />}
            {failure && failure.errors.length === 0 && <ErrorNote error={failure} />}
            <FormConflict
              edit={edit}
              labels={{ ...labels, note: "Note", effective_from: "Takes effect on" }}
            />
            {!theirs && (
              <Button
                type="submit"
                variant="primary"
                className="self-start"
                loading={saving}
                disabled={!dirty}
              >
                Save config
              </Button>
            )}
          </div>
        </Card>
      )}
    </form>
  );
}
