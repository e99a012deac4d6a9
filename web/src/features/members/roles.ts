import type { Member } from "@/api/types.gen";

export type Role = Member["role"];

export const roleNames: Record<Role, string> = {
  company_admin: "Company-Admin",
  approver: "Approver",
  buyer: "Buyer",
  viewer: "Viewer",
};

const meanings: Record<Role, string> = {
  company_admin: "Can do everything. Only Company-Admins see and create keys.",
  approver: "Approves purchase orders within a limit.",
  buyer: "Drafts, edits, submits and receives.",
  viewer: "Can read, but not change anything.",
};

export const roleHint = (role: Role) => meanings[role];

export const roleOptions = (Object.keys(roleNames) as Role[]).map((value) => ({
  value,
  label: roleNames[value],
  hint: meanings[value],
}));
