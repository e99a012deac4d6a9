import { Page } from "@/ui/page";
import { ConflictList } from "./conflict-list";

/** The conflicts of all connections, for the people who decide them. */
export function ConflictsPage() {
  return (
    <Page
      title="Conflicts"
      description="What was changed here and in a connected system in ways that do not fit together. A person decides which side counts."
    >
      <ConflictList />
    </Page>
  );
}
