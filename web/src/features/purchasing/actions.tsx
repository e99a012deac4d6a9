import {
  Ban,
  Check,
  CornerUpLeft,
  type LucideIcon,
  PackageCheck,
  PackageMinus,
  PackageX,
  RotateCcw,
  Send,
  Split,
} from "lucide-react";
import { useState } from "react";
import type { Line } from "@/api/types.gen";
import { useDrafts } from "@/lib/edit";
import { lazyDialog } from "@/ui/lazy-dialog";
import type { Action } from "./model";

const ApproveDialog = lazyDialog(async () => (await import("./dialogs")).ApproveDialog);
const CorrectDialog = lazyDialog(async () => (await import("./dialogs")).CorrectDialog);
const PlainDialog = lazyDialog(async () => (await import("./dialogs")).PlainDialog);
const ReasonDialog = lazyDialog(async () => (await import("./dialogs")).ReasonDialog);
const SplitDialog = lazyDialog(async () => (await import("./split-dialog")).SplitDialog);
const ReceiveDialog = lazyDialog(async () => (await import("./receive-dialog")).ReceiveDialog);

export type Doable = Exclude<Action, "edit">;

interface About {
  label: string;
  icon: LucideIcon;
  danger?: boolean;
  /** Single-key shortcuts for the selected lines. */
  keys?: string;
  /** For one line at a time. */
  alone?: boolean;
}

/** In the order of a line's life. */
export const actions: Record<Doable, About> = {
  submit: { label: "Submit", icon: Send, keys: "s" },
  approve: { label: "Approve", icon: Check, keys: "a" },
  receive: { label: "Receive…", icon: PackageCheck, keys: "r" },
  send_back: { label: "Send back…", icon: CornerUpLeft, keys: "b" },
  close_short: { label: "Close short…", icon: PackageX },
  split: { label: "Split by date…", icon: Split, keys: "d", alone: true },
  correct: { label: "Correct…", icon: PackageMinus, alone: true },
  reopen: { label: "Reopen", icon: RotateCcw },
  cancel: { label: "Cancel…", icon: Ban, danger: true },
};

export const doable = Object.keys(actions) as Doable[];

interface Asked {
  action: Doable;
  ids: string[];
}

function findAsked(kept: readonly string[], lines: readonly Line[]): Asked | undefined {
  const known = new Set(lines.map((line) => line.id));
  for (const thing of kept) {
    const [, action, list = ""] = thing.split("/");
    const ids = list.split(",");
    const able = doable.find((one) => one === action);
    if (able && ids.every((id) => known.has(id))) return { action: able, ids };
  }
  return undefined;
}

/** Opens the dialog of an action on lines; `lines` are all current lines that it may be about. */
export function useActionDialog(lines: readonly Line[], onDone?: () => void) {
  const drafts = useDrafts();
  // A draft from before a reload opens its dialog again.
  const [asked, setAsked] = useState<Asked | undefined>(() => findAsked(drafts("action/"), lines));
  const open = (action: Doable, wanted: readonly Line[]) =>
    setAsked({ action, ids: wanted.map((line) => line.id) });
  let dialog = null;
  if (asked) {
    const meant = lines.filter((line) => asked.ids.includes(line.id));
    const props = { lines: meant, onClosed: () => setAsked(undefined), onDone };
    switch (asked.action) {
      case "approve":
        dialog = <ApproveDialog {...props} />;
        break;
      case "receive":
        dialog = <ReceiveDialog {...props} />;
        break;
      case "correct":
        dialog = <CorrectDialog {...props} />;
        break;
      case "split":
        dialog = <SplitDialog {...props} />;
        break;
      case "submit":
      case "reopen":
        dialog = <PlainDialog {...props} action={asked.action} />;
        break;
      default:
        dialog = <ReasonDialog {...props} action={asked.action} />;
    }
  }
  return { open, dialog };
}
