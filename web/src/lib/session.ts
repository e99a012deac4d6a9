import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useRouteContext, useRouter } from "@tanstack/react-router";
import { getSessionOptions } from "@/api/@tanstack/react-query.gen";
import type { Place as Company, Person, PlacedWorkspace } from "@/api/types.gen";
import { dropDraftsOfOthers } from "./drafts";
import { readSetting, writeSetting } from "./storage";

/** Permissions, by the service's names. */
export type Permission =
  | "read"
  | "send_test_records"
  | "import_records"
  | "retry_failures"
  | "edit_records"
  | "share_views"
  | "manage_keys"
  | "manage_tokens"
  | "manage_connections"
  | "manage_members"
  | "manage_workspaces"
  | "draft_lines"
  | "change_lines"
  | "submit_lines"
  | "approve_lines"
  | "send_back_lines"
  | "cancel_drafts"
  | "cancel_orders"
  | "receive_lines"
  | "correct_own"
  | "correct_receipts"
  | "reopen_lines"
  | "discuss_orders"
  | "send_orders"
  | "allow_receivers"
  | "manage_purchasing"
  | "propose_documents"
  | "plan_purchasing"
  | "define_tables"
  | "read_audit";

/** The workspace that the address names, its company, and the person. */
export interface Place {
  person: Person;
  company: Company;
  workspace: PlacedWorkspace;
  can: (permission: Permission) => boolean;
}

/** The session, from the cache while fresh. Every page needs it before it can be shown. */
export async function loadSession(queryClient: QueryClient): Promise<Person> {
  const options = { ...getSessionOptions(), staleTime: 60_000, revalidateIfStale: true };
  const person = await queryClient.ensureQueryData(options);
  dropDraftsOfOthers(person.id);
  return person;
}

export function findPlace(person: Person, workspaceId: string): Place | undefined {
  for (const company of person.tenants) {
    const workspace = company.workspaces.find((w) => w.id === workspaceId);
    if (workspace)
      return { person, company, workspace, can: (permission) => company.permissions.includes(permission) };
  }
  return undefined;
}

/** The workspace to open if the address names none: the last visited one, or the first. */
export function homeWorkspace(person: Person): string | undefined {
  const last = readSetting("workspace");
  if (last && findPlace(person, last)) return last;
  return person.tenants[0]?.workspaces[0]?.id;
}

export function rememberWorkspace(id: string): void {
  writeSetting("workspace", id);
}

/** The place of the current page. */
export function usePlace(): Place {
  return useRouteContext({ from: "/inside/w/$workspace", select: (context) => context.place });
}

/** For pages that change the person's name, role, company or workspaces. */
export function useReloadSession(): () => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    // No component observes the session: invalidating it alone would fetch nothing, and pages
    // read it from the router's context.
    // The change itself is saved, even if this fetch fails.
    await queryClient.fetchQuery({ ...getSessionOptions(), staleTime: 0 }).catch(() => undefined);
    await router.invalidate();
  };
}
