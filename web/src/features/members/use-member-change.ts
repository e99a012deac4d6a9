import type { Member } from "@/api/types.gen";
import { toApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { unsaved } from "@/lib/unsaved";
import { useReloadLists } from "./queries";

/** What changes of a member have in common: the version that was seen, and what follows. */
export function useMemberChange(member: Member) {
  const { company, person } = usePlace();
  const reload = useReloadLists();
  const self = member.id === person.id;

  async function run(change: Promise<unknown>): Promise<void> {
    try {
      await change;
    } catch (cause) {
      // The dialog shows the error and stays; behind it stands by then what somebody else changed.
      if (toApiError(cause).status === 412) await reload();
      throw cause;
    }
    // A change ends the member's sessions, and this is one of them.
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
