import { useMutation } from "@tanstack/react-query";
import { reopenFailure } from "@/api/sdk.gen";
import { eachOf } from "@/lib/each";
import { usePlace } from "@/lib/session";
import { reopened } from "@/messages/failures";
import { toast } from "@/ui/toast";
import { useReloadFailures } from "./queries";

/** Reopens dismissed failed imports. */
export function useReopen(): (ids: string[]) => void {
  const { workspace } = usePlace();
  const reload = useReloadFailures();
  const { mutate } = useMutation({
    mutationFn: (ids: string[]) =>
      eachOf(ids, (failure) =>
        reopenFailure({ path: { workspace: workspace.id, failure }, throwOnError: true }),
      ),
    onSuccess: (_, ids) => toast.success(reopened({ count: ids.length }, workspace.locale)),
    onError: (error) => toast.error(error, "Not reopened"),
    onSettled: reload,
  });
  return mutate;
}
