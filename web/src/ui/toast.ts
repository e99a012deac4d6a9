import { Toast } from "@base-ui/react/toast";
import { type ApiError, toApiError } from "@/lib/problem";

export interface ToastDetails {
  fix?: string | undefined;
  requestId?: string | undefined;
  undo?: (() => void) | undefined;
}

export const toastManager = Toast.createToastManager<ToastDetails>();

type NewToast = Parameters<typeof toastManager.add>[0];

// The Toaster is loaded after the first paint, and the manager forgets what nobody hears.
let waiting: NewToast[] | null = [];

function add(item: NewToast) {
  if (waiting) waiting.push(item);
  else toastManager.add(item);
}

export function toasterMounted(): void {
  const late = waiting ?? [];
  waiting = null;
  for (const item of late) toastManager.add(item);
}

interface ErrorText {
  title: string;
  cause?: string;
  fix?: string;
  requestId?: string;
}

export const toast = {
  /** Says what was done. Give `undo` whenever it can be undone; it then stays longer. */
  success(title: string, options: { description?: string; undo?: () => void } = {}): void {
    add({
      title,
      description: options.description,
      type: "success",
      timeout: options.undo ? 10_000 : 5_000,
      data: { undo: options.undo },
    });
  },
  /** Stays until it is closed: whoever looked away must still learn that it failed. */
  error(failure: unknown, title?: string): void {
    const text = isText(failure) ? failure : fromError(toApiError(failure), title);
    add({
      title: text.title,
      description: text.cause,
      type: "error",
      priority: "high",
      timeout: 0,
      data: { fix: text.fix, requestId: text.requestId },
    });
  },
};

function isText(failure: unknown): failure is ErrorText {
  return typeof failure === "object" && failure !== null && !(failure instanceof Error) && "title" in failure;
}

function fromError(error: ApiError, title?: string): ErrorText {
  const cause = error.message === error.title && !title ? undefined : error.message;
  return { title: title ?? error.title, cause, fix: error.fix, requestId: error.requestId };
}
