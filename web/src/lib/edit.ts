import {
  type FocusEvent,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { toast } from "@/ui/toast";
import { DialogWork } from "./dialog-work";
import { draftKey, draftsUnder } from "./drafts";
import { EditSession, type EditSpec } from "./edit-session";
import { type EditState, isDirty } from "./edit-state";
import { usePlace } from "./session";
import { unsaved } from "./unsaved";

export interface EditOptions<D, S> extends EditSpec<D, S> {
  /** The value that the person sees. The edit keeps the one from when it began. */
  seen: S;
  /**
   * A form that is always open begins its edit with the first change, and shows refetched values
   * until then. An editor that a person opens begins at once.
   */
  follow?: boolean;
}

export interface Edit<D, S> extends EditState<D, S> {
  dirty: boolean;
  saving: boolean;
  session: EditSession<D, S>;
}

/**
 * An edit of the workspace's `thing`, such as "line/<id>/note". All unsaved input of a person goes
 * through here. If `thing` is undefined, the draft is not stored and is lost with the page: it is a
 * secret, or not worth keeping.
 */
export function useEdit<D, S>(thing: string | undefined, options: EditOptions<D, S>): Edit<D, S> {
  const { person, workspace } = usePlace();
  return useEditSession(thing && draftKey(person.id, workspace.id, thing), options);
}

/** The same without a workspace, for the kit. */
export function useEditSession<D, S>(key: string | undefined, options: EditOptions<D, S>): Edit<D, S> {
  const { seen, follow, ...spec } = options;
  const [session] = useState(() => new EditSession(spec, seen, key));
  const state = useSyncExternalStore(session.watch, () => session.state);
  const dialog = useContext(DialogWork);
  useLayoutEffect(() => {
    session.spec = { onUnseen: tellUnseen, ...spec };
  });
  useLayoutEffect(() => session.attach(unsaved), [session]);
  useLayoutEffect(() => (dialog ? session.attach(dialog) : undefined), [session, dialog]);
  useEffect(() => {
    if (follow) session.follow(seen);
  }, [session, follow, seen]);
  return { ...state, dirty: isDirty(state), saving: state.phase === "saving", session };
}

function tellUnseen(failure: unknown) {
  toast.error(failure, "Something you changed is not saved. It is kept where you typed it");
}

/** Finds stored drafts: the workspace's things whose names begin with `start`. */
export function useDrafts(): (start: string) => string[] {
  const { person, workspace } = usePlace();
  return (start) => draftsUnder(draftKey(person.id, workspace.id, start)).map((rest) => start + rest);
}

/** The open state of a dialog; it starts open if a draft of it was stored. */
export function useOpenWithDraft(thing: string): [boolean, (open: boolean) => void] {
  const drafts = useDrafts();
  return useState(() => drafts(thing).includes(thing));
}

/** Whether the focus moved elsewhere on the page. A switch to another window does not count. */
export function hasLeft(event: FocusEvent<HTMLElement>): boolean {
  return document.hasFocus() && !event.currentTarget.contains(event.relatedTarget);
}
