import { listAudit } from "@/api/sdk.gen";
import { usePlace } from "@/lib/session";
import { actorName } from "./words";

/** Looks up who changed something last; finds nothing for people who may not read the audit log. */
export function useWhoChanged(): (action: string, subject: string) => Promise<{ by?: string; at?: string }> {
  const { company, person, can } = usePlace();
  return async (action, subject) => {
    if (!can("read_audit")) return {};
    try {
      const query = { limit: 1, action, subject };
      const { data } = await listAudit({ path: { tenant: company.id }, query, throwOnError: true });
      const [entry] = data.items;
      return entry ? { by: entry.by_id === person.id ? "You" : actorName(entry), at: entry.at } : {};
    } catch {
      return {}; // the change is shown even without its author
    }
  };
}
