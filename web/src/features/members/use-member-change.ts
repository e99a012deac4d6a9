import type { Member } from "@/api/types.gen";
import { toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { unsaved } from "@/lib/unsaved";
import { useReloadLists } from "./queries";

/** The common part of member changes: the version that the person saw, and the refetch. */
export function useMemberChange(member: Member) {
  const { company, person } = usePlace();
  const reload = useReloadLists();
  const self = member.id === person.id;

  async function run(change: Promise<unknown>): Promise<void> {
    try {
      await change;
    } catch (cause) {
      // The dialog stays open with the error; the list behind it shows somebody else's change.
      if (toApiError(cause).status === 412) await reload();
      throw cause;
    }
    // A change of oneself ends this session too.
    if (!self) return await reload();
    unsaved.release();
    location.assign("/sign-in");
  }

  return {
    self,
    run,
    path: { tenant: company.id, member: member.id },
    headers: { "If-Match": `"${member.version}"` },
  };
}
