import { useMutation } from "@tanstack/react-query";
import { reopenFailure } from "@/api/sdk.gen";
import { eachOf } from "@/lib/each";
import { usePlace } from "@/lib/session";
import { toast } from "@/ui/toast";
import { useReloadFailures } from "./queries";

/** Takes dismissals back. */
export function useReopen(): (ids: string[]) => void {
  const { workspace } = usePlace();
  const reload = useReloadFailures();
  const { mutate } = useMutation({
    mutationFn: (ids: string[]) =>
      eachOf(ids, (failure) =>
        reopenFailure({ path: { workspace: workspace.id, failure }, throwOnError: true }),
      ),
    onSuccess: (_, ids) =>
      toast.success(ids.length === 1 ? "It is open again" : `${ids.length} imports are open again`),
    onError: (error) => toast.error(error, "Not reopened"),
    onSettled: reload,
  });
  return mutate;
}
