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
  /** What the person sees. It is frozen when the edit begins. */
  seen: S;
  /**
   * A form that is always open begins its edit with the first change, and shows what is read
   * again until then. An editor that was opened begins at once.
   */
  follow?: boolean;
}

export interface Edit<D, S> extends EditState<D, S> {
  dirty: boolean;
  saving: boolean;
  session: EditSession<D, S>;
}

/**
 * An edit of the workspace's `thing`, such as "line/<id>/note": everything that somebody types
 * before it is saved goes through here. `thing` undefined: the draft is a secret, or not worth
 * keeping, and is gone with the page.
 */
export function useEdit<D, S>(thing: string | undefined, options: EditOptions<D, S>): Edit<D, S> {
  const { person, workspace } = usePlace();
  return useEditSession(thing && draftKey(person.id, workspace.id, thing), options);
}

/** The same without a place, for the kit. */
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

/** Finds drafts that were kept: things of the workspace that begin with `start`. */
export function useDrafts(): (start: string) => string[] {
  const { person, workspace } = usePlace();
  return (start) => draftsUnder(draftKey(person.id, workspace.id, start)).map((rest) => start + rest);
}

/** Whether a dialog is open; it is at once when something that was typed in it was kept. */
export function useOpenWithDraft(thing: string): [boolean, (open: boolean) => void] {
  const drafts = useDrafts();
  return useState(() => drafts(thing).includes(thing));
}

/** Whether the focus went elsewhere on the page. Another window in front is no reason to save. */
export function hasLeft(event: FocusEvent<HTMLElement>): boolean {
  return document.hasFocus() && !event.currentTarget.contains(event.relatedTarget);
}
