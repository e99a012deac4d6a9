import { useQueryClient } from "@tanstack/react-query";
import { editRow, getRow, listRowHistory } from "@/api/sdk.gen";
import type { Entry, Row, TableColumn } from "@/api/types.gen";
import { useEdit } from "@/lib/edit";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { writer } from "./history";
import { showRow } from "./queries";
import { fromDraft, toDraft } from "./value";

/** The prefix of the drafts of a table's cells; a record and a column follow. */
export const cellsOf = (table: string) => `row/${table}/`;

/** Edits one value of a record. `onDone` is called after a save, or after taking over their value. */
export function useCellEdit(table: string, row: Row, column: TableColumn, onDone: () => void) {
  const client = useQueryClient();
  const { workspace, person } = usePlace();
  const locale = useLocale();
  const path = { workspace: workspace.id, table, record: row.id };
  const edit = useEdit<string, Row>(`${cellsOf(table)}${row.id}/${column.name}`, {
    seen: row,
    toDraft: ({ values }) => toDraft(column, values[column.name], locale),
    save: async (draft, seen) => {
      const value = fromDraft(column, draft, locale.locale);
      const { data } = await editRow({
        path,
        headers: { "If-Match": `"${seen.version}"` },
        body: { values: { [column.name]: value } },
        throwOnError: true,
      });
      showRow(client, workspace.id, table, data);
      return data;
    },
    look: async () => {
      const [now, history] = await Promise.all([
        getRow({ path, throwOnError: true }),
        listRowHistory({ path, query: { limit: 20 }, throwOnError: true }),
      ]);
      const entry = lastWrite(history.data.items, column.name);
      const by = entry && (entry.by_id === person.id ? "You" : capital(writer(entry)));
      return { seen: now.data, by, at: entry?.at };
    },
    onSaved: onDone,
  });
  function takeTheirs() {
    const { theirs } = edit.session.state;
    if (theirs) showRow(client, workspace.id, table, theirs.seen);
    edit.session.giveUp();
    onDone();
  }
  return { ...edit, takeTheirs };
}

/** The latest write of a field, or else of any field. Entries are sorted newest first. */
function lastWrite(entries: readonly Entry[], field: string): Entry | undefined {
  const written = entries.filter(({ result }) => result !== "unchanged" && result !== "stale");
  return written.find((entry) => field in entry.values) ?? written[0];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
