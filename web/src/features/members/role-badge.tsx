import { Badge } from "@/ui/badge";
import { type Role, roleNames } from "./roles";

/** Only the role that may do everything is highlighted. */
export function RoleBadge({ role }: { role: Role }) {
  return <Badge tone={role === "company_admin" ? "info" : "neutral"}>{roleNames[role]}</Badge>;
}
