import { listAudit } from "@/api/sdk.gen";
import { usePlace } from "@/lib/session";
import { doer } from "./words";

/** Looks up who did something last, for those who may read the audit log; nothing for others. */
export function useWhoChanged(): (action: string, subject: string) => Promise<{ by?: string; at?: string }> {
  const { company, person, can } = usePlace();
  return async (action, subject) => {
    if (!can("read_audit")) return {};
    try {
      const query = { limit: 1, action, subject };
      const { data } = await listAudit({ path: { tenant: company.id }, query, throwOnError: true });
      const [entry] = data.items;
      return entry ? { by: entry.by_id === person.id ? "You" : doer(entry), at: entry.at } : {};
    } catch {
      return {}; // what changed is worth more than who did it
    }
  };
}
