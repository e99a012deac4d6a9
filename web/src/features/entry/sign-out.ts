import { useMutation } from "@tanstack/react-query";
import { signOutMutation } from "@/api/@tanstack/react-query.gen";
import { dropAllDrafts } from "@/lib/drafts";
import { mayLeave } from "@/lib/unsaved";
import { toast } from "@/ui/toast";

export function useSignOut(): () => Promise<void> {
  const { mutate } = useMutation({
    ...signOutMutation(),
    // A full page load, so that nothing of this person stays in memory.
    onSuccess: () => {
      dropAllDrafts();
      location.assign("/sign-in");
    },
    onError: (error) => toast.error(error, "You are still signed in"),
  });
  return async () => {
    if (await mayLeave()) mutate({});
  };
}
