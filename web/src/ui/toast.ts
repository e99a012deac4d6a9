import type { Toast } from "@base-ui/react/toast";
import { type ApiError, toApiError } from "@/lib/problem";

/** A link of a toast, which is outside of the router. */
export interface ToastLink {
  label: string;
  href: string;
  /** Goes there without loading the page anew. */
  go: () => void;
}

export interface ToastDetails {
  fix?: string | undefined;
  requestId?: string | undefined;
  undo?: (() => void) | undefined;
  links?: readonly ToastLink[] | undefined;
}

type NewToast = Parameters<ReturnType<typeof Toast.createToastManager<ToastDetails>>["add"]>[0];

// The Toaster is loaded at the first press or the first toast.
let show: ((item: NewToast) => void) | undefined;
let call = () => {};
const waiting: NewToast[] = [];

function add(item: NewToast) {
  if (show) return show(item);
  waiting.push(item);
  call();
}

/** `called` is called when there is a toast to show before the Toaster is mounted. */
export function whenToasterIsNeeded(called: () => void): void {
  call = called;
  if (waiting.length > 0) called();
}

/** Called by the mounted Toaster; shows the toasts that waited for it. */
export function toasterMounted(shows: (item: NewToast) => void): void {
  show = shows;
  for (const item of waiting.splice(0)) shows(item);
}

interface ErrorText {
  title: string;
  cause?: string;
  fix?: string;
  requestId?: string;
}

export const toast = {
  /** Says what was done. Pass `undo` whenever it can be undone; with it or links the toast stays longer. */
  success(
    title: string,
    options: { description?: string; undo?: () => void; links?: readonly ToastLink[] } = {},
  ): void {
    add({
      title,
      description: options.description,
      type: "success",
      timeout: options.undo || options.links ? 10_000 : 5_000,
      data: { undo: options.undo, links: options.links },
    });
  },
  /** Stays until it is closed, so that a person who looked away still sees it. */
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
  const said = error.message === error.title && !title ? undefined : error.message;
  const cause = error.details === undefined ? said : `${title ? `${said} ` : ""}${error.details}`;
  return { title: title ?? error.title, cause, fix: error.fix, requestId: error.requestId };
}
