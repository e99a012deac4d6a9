import { Badge } from "@/ui/badge";
import { type Role, roleNames } from "./roles";

/** Only who may do everything stands out. */
export function RoleBadge({ role }: { role: Role }) {
  return <Badge tone={role === "company_admin" ? "info" : "neutral"}>{roleNames[role]}</Badge>;
}
