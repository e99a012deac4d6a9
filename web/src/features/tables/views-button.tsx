import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Bookmark, Check, Link2, Save, Trash2, Users } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { changeViewMutation, deleteViewMutation, listViewsQueryKey } from "@/api/@tanstack/react-query.gen";
import type { Table, View } from "@/api/types.gen";
import { copyText } from "@/lib/copy";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Menu, MenuGroup, MenuItem, MenuSeparator } from "@/ui/menu";
import { toast } from "@/ui/toast";
import { type TableState, toDefinition } from "./state";

const SaveView = lazy(async () => ({ default: (await import("./save-view")).SaveView }));

interface ViewsButtonProps {
  table: Table;
  state: TableState;
  views: View[];
  current: View | undefined;
  /** The state differs from what the view says. */
  changed: boolean;
  /** Nothing: the whole table. */
  onChoose: (view: string | undefined) => void;
}

/** Saved views: choose one, save what is shown, share it by its link. */
export function ViewsButton({ table, state, views, current, changed, onChoose }: ViewsButtonProps) {
  const { workspace, person, can } = usePlace();
  const [saving, setSaving] = useState(false);
  const client = useQueryClient();
  const path = { workspace: workspace.id, table: table.slug };
  const reload = () => client.invalidateQueries({ queryKey: listViewsQueryKey({ path }) });
  const change = useMutation({
    ...changeViewMutation(),
    onSuccess: async (view) => {
      await reload();
      onChoose(view.id);
      toast.success(`“${view.name}” is saved`);
    },
    onError: (error) => toast.error(error, "The view was not changed"),
  });
  const remove = useMutation({
    ...deleteViewMutation(),
    onSuccess: async () => {
      onChoose(undefined);
      await reload();
      toast.success("The view is deleted");
    },
    onError: (error) => toast.error(error, "The view was not deleted"),
  });
  const mine = current && (current.shared ? can("share_views") : current.owner_id === person.id);
  const one = current && {
    path: { ...path, view: current.id },
    headers: { "If-Match": `"${current.version}"` },
  };

  async function copyLink() {
    if (!current) return;
    const address = `${location.origin}/w/${workspace.id}/tables/${table.slug}?view=${current.id}`;
    if (await copyText(address)) toast.success("The link is copied");
    else toast.error({ title: "The browser did not let us copy", cause: address });
  }

  return (
    <>
      <Menu
        trigger={
          <Button size="sm" icon={<Bookmark aria-hidden />}>
            <span className="max-w-40 truncate">{current?.name ?? "Views"}</span>
            {current && changed && <span className="text-subtle">changed</span>}
          </Button>
        }
      >
        <MenuGroup label="Views">
          <MenuItem
            icon={current ? <span className="size-4" /> : <Check aria-label="Current" />}
            onSelect={() => onChoose(undefined)}
          >
            The whole table
          </MenuItem>
          {views.map((view) => (
            <MenuItem
              key={view.id}
              icon={
                view.id === current?.id ? (
                  <Check aria-label="Current" />
                ) : view.shared ? (
                  <Users aria-label="Shared" />
                ) : (
                  <span className="size-4" />
                )
              }
              onSelect={() => onChoose(view.id)}
            >
              {view.name}
            </MenuItem>
          ))}
        </MenuGroup>
        <MenuSeparator />
        {one && mine && changed && (
          <MenuItem
            icon={<Save />}
            onSelect={() => change.mutate({ ...one, body: { definition: toDefinition(state) } })}
          >
            Save the changes
          </MenuItem>
        )}
        <MenuItem icon={<Save />} onSelect={() => setSaving(true)}>
          Save as a new view…
        </MenuItem>
        {current && (
          <MenuItem icon={<Link2 />} onSelect={() => void copyLink()}>
            Copy the link
          </MenuItem>
        )}
        {one && mine && (
          <MenuItem
            icon={<Users />}
            disabled={!can("share_views")}
            onSelect={() => change.mutate({ ...one, body: { shared: !current.shared } })}
          >
            {current.shared ? "Keep to myself" : "Share with everybody"}
          </MenuItem>
        )}
        {one && mine && (
          <MenuItem danger icon={<Trash2 />} onSelect={() => remove.mutate(one)}>
            Delete the view
          </MenuItem>
        )}
      </Menu>
      {saving && (
        <Suspense>
          <SaveView table={table} state={state} onSaved={onChoose} onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </>
  );
}
