import { Toast } from "@base-ui/react/toast";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useEffect } from "react";
import { cx } from "@/lib/cx";
import { Button } from "./button";
import { CopyButton } from "./copy-button";
import { IconButton } from "./icon-button";
import { type ToastDetails, toasterMounted } from "./toast";

const toastManager = Toast.createToastManager<ToastDetails>();

export function Toaster() {
  useEffect(() => toasterMounted(toastManager.add), []);
  return (
    <Toast.Provider toastManager={toastManager} limit={5}>
      <Toast.Portal>
        <Toast.Viewport className="fixed inset-x-3 bottom-18 z-60 flex flex-col-reverse gap-2 outline-none sm:inset-x-auto sm:right-5 sm:bottom-5 sm:w-96">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const { toasts, close } = Toast.useToastManager<ToastDetails>();
  return toasts.map((item) => {
    const bad = item.type === "error";
    const { fix, requestId, undo, links = [] } = item.data ?? {};
    return (
      <Toast.Root
        key={item.id}
        toast={item}
        swipeDirection={["right", "down"]}
        className={cx(
          "pop flex items-start gap-2.5 py-2.5 pr-2 pl-3 text-sm data-limited:hidden",
          "data-starting-style:translate-y-2 data-ending-style:opacity-0",
        )}
      >
        {bad ? (
          <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad-ink" aria-hidden />
        ) : (
          <CircleCheck className="mt-0.5 size-4 shrink-0 text-good" aria-hidden />
        )}
        <Toast.Content className="min-w-0 flex-1">
          <Toast.Title render={<p />} className="font-medium text-ink" />
          {item.description && <Toast.Description className="mt-0.5 text-muted" />}
          {links.length > 0 && (
            <p className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
              {links.map(({ label, href, go }) => (
                <a
                  key={href}
                  href={href}
                  className="rounded-sm text-accent-ink hover:underline"
                  onClick={(event) => {
                    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                    event.preventDefault();
                    close(item.id);
                    go();
                  }}
                >
                  {label}
                </a>
              ))}
            </p>
          )}
          {fix && <p className="mt-1 text-ink">{fix}</p>}
          {requestId && (
            <p className="mt-1.5 flex items-center gap-1 text-subtle text-xs">
              <span className="truncate">
                Request <code className="font-mono">{requestId}</code>
              </span>
              <CopyButton value={requestId} label="Copy request id" />
            </p>
          )}
        </Toast.Content>
        {undo && (
          <Button
            size="sm"
            className="-my-0.5"
            onClick={() => {
              close(item.id);
              undo();
            }}
          >
            Undo
          </Button>
        )}
        <Toast.Close
          aria-label="Dismiss"
          render={<IconButton label="Dismiss" icon={<X />} size="sm" tooltip={false} className="-my-0.5" />}
        />
      </Toast.Root>
    );
  });
}
