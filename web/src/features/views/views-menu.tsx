import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { Bookmark, Check, Link2, Pencil, RefreshCw, Save, Trash2, Users } from "lucide-react";
import { type Ref, useState } from "react";
import type { View } from "@/api/types.gen";
import { copyText } from "@/lib/copy";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { lazyDialog } from "@/ui/lazy-dialog";
import { Menu, MenuGroup, MenuItem, MenuSeparator } from "@/ui/menu";
import { toast } from "@/ui/toast";
import { type ViewCalls, viewCalls } from "./calls";
import { type Target, useTarget } from "./target";
import { placeClass, type ViewsButtonProps } from "./views-button";

const SaveView = lazyDialog(async () => (await import("./save-view")).SaveView);
const RenameView = lazyDialog(async () => (await import("./save-view")).RenameView);

interface ViewsMenuProps extends ViewsButtonProps {
  triggerRef: Ref<HTMLButtonElement>;
}

/** The button and its menu. */
export function ViewsMenu({ of, view, size, triggerRef }: ViewsMenuProps) {
  const { workspace } = usePlace();
  const target = useTarget(of);
  const calls = viewCalls(workspace.id, target.of);
  const views = useQuery({ queryKey: calls.queryKey, queryFn: ({ signal }) => calls.list(signal) });
  const current = views.data?.items.find(({ id }) => id === view);
  const [asked, ask] = useState<"save" | "rename">();
  const acts = useActs(target, calls);
  const dialog = { calls, onSaved: acts.saved, onClose: () => ask(undefined) };
  return (
    <>
      <Menu
        triggerRef={triggerRef}
        trigger={
          <Button size={size} className={placeClass} icon={<Bookmark aria-hidden />}>
            <span className="max-w-40 truncate max-md:max-w-20">{current?.name ?? "Views"}</span>
            {current && target.isChanged(current) && <span className="text-subtle">changed</span>}
          </Button>
        }
      >
        {/* No entries before all are loaded: later ones would move them. */}
        {views.data ? (
          <>
            <Choices target={target} views={views.data.items} current={current} acts={acts} />
            <MenuSeparator />
            <MenuItem icon={<Save />} onSelect={() => ask("save")}>
              Save as a new view…
            </MenuItem>
            {current && (
              <Changes target={target} current={current} acts={acts} onRename={() => ask("rename")} />
            )}
          </>
        ) : (
          <MenuItem icon={<RefreshCw />} disabled={!views.error} onSelect={() => void views.refetch()}>
            {views.error ? "The views could not be loaded. Try again" : "Loading the views…"}
          </MenuItem>
        )}
      </Menu>
      {asked === "save" && <SaveView {...dialog} target={target} />}
      {asked === "rename" && current && <RenameView {...dialog} view={current} />}
    </>
  );
}

type Acts = ReturnType<typeof useActs>;

/** The actions on views. After a refusal the views are refetched. */
function useActs({ link }: Target, calls: ViewCalls) {
  const client = useQueryClient();
  const go = useNavigate();
  const router = useRouter();
  const reload = () => client.invalidateQueries({ queryKey: calls.queryKey });
  const saved = async (view: View) => {
    await reload();
    await go(link(view));
    toast.success(`“${view.name}” is saved`);
  };
  const change = useMutation({
    mutationFn: ({ seen, body }: { seen: View; body: Parameters<ViewCalls["change"]>[1] }) =>
      calls.change(seen, body),
    onSuccess: saved,
    onError: (error) => {
      toast.error(error, "The view was not changed");
      return reload();
    },
  });
  const remove = useMutation({
    mutationFn: calls.remove,
    onSuccess: async () => {
      await go(link());
      await reload();
      toast.success("The view is deleted");
    },
    onError: (error) => {
      toast.error(error, "The view was not deleted");
      return reload();
    },
  });
  return {
    saved,
    choose: (view?: View) => void go(link(view)),
    change: (seen: View, body: Parameters<ViewCalls["change"]>[1]) => change.mutate({ seen, body }),
    remove: (view: View) => remove.mutate(view),
    copyLink: async (view: View) => {
      const address = location.origin + router.buildLocation(link(view)).href;
      if (await copyText(address)) toast.success("The link is copied");
      else toast.error({ title: "The browser did not let us copy", cause: address });
    },
  };
}

interface ChoicesProps {
  target: Target;
  views: readonly View[];
  current: View | undefined;
  acts: Acts;
}

function Choices({ target, views, current, acts }: ChoicesProps) {
  return (
    <MenuGroup label="Views">
      <MenuItem icon={<Mark current={!current} />} onSelect={() => acts.choose()}>
        {target.whole}
      </MenuItem>
      {views.map((view) => (
        <MenuItem
          key={view.id}
          icon={<Mark current={view.id === current?.id} shared={view.shared} />}
          onSelect={() => acts.choose(view)}
        >
          {view.name}
        </MenuItem>
      ))}
    </MenuGroup>
  );
}

function Mark({ current, shared = false }: { current: boolean; shared?: boolean }) {
  if (current) return <Check aria-label="Current" />;
  return shared ? <Users aria-label="Shared" /> : <span className="size-4" />;
}

interface ChangesProps {
  target: Target;
  current: View;
  acts: Acts;
  onRename: () => void;
}

/** The actions on the chosen view that the person may take. */
function Changes({ target, current, acts, onRename }: ChangesProps) {
  const { person, can } = usePlace();
  const share = can("share_views");
  const mine = current.shared ? share : current.owner_id === person.id;
  return (
    <>
      {mine && target.isChanged(current) && (
        <MenuItem icon={<Save />} onSelect={() => acts.change(current, { definition: target.definition })}>
          Save the changes
        </MenuItem>
      )}
      <MenuItem icon={<Link2 />} onSelect={() => void acts.copyLink(current)}>
        Copy the link
      </MenuItem>
      {mine && (
        <>
          <MenuItem icon={<Pencil />} onSelect={onRename}>
            Rename…
          </MenuItem>
          <MenuItem
            icon={<Users />}
            disabled={!share}
            onSelect={() => acts.change(current, { shared: !current.shared })}
          >
            {current.shared ? "Make private" : "Share with everybody"}
          </MenuItem>
          <MenuItem danger icon={<Trash2 />} onSelect={() => acts.remove(current)}>
            Delete the view
          </MenuItem>
        </>
      )}
    </>
  );
}
