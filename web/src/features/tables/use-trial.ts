import { useMutation } from "@tanstack/react-query";
import { tryTableColumnMutation } from "@/api/@tanstack/react-query.gen";
import type { ColumnRules, ColumnTrial, DefinedColumn, TableDefinition } from "@/api/types.gen";
import { same } from "@/lib/edit-state";
import { ApiError } from "@/lib/problem";
import { usePlace } from "@/lib/session";
import { finds, judged, tightens } from "./trial";

/** What became of trying a column's rules. */
export interface Tried {
  /** The rules may be saved: they refuse nothing, or the person has seen what they refuse. */
  save: boolean;
  trial?: ColumnTrial | undefined;
}

/** Tries a column's rules before they are saved, if they may refuse what was taken so far. */
export function useTrial(table: TableDefinition, column: DefinedColumn | undefined) {
  const { company } = usePlace();
  const { mutateAsync, data, variables, isPending, error, reset } = useMutation(tryTableColumnMutation());
  /** What the person was shown about these rules. */
  const shown = (rules: ColumnRules) =>
    data && variables && finds(data) && same(judged(variables.body), judged(rules)) ? data : undefined;
  async function ask(name: string, rules: ColumnRules): Promise<Tried> {
    if (!tightens(column, rules) || shown(rules)) return { save: true };
    try {
      const path = { tenant: company.id, definition: table.slug, column: name };
      const trial = await mutateAsync({ path, body: rules });
      return { save: !finds(trial), trial };
    } catch (failure) {
      // Saving is refused for the same reason, and says so at the field.
      if (failure instanceof ApiError && failure.status >= 400 && failure.status < 500) {
        reset();
        return { save: true };
      }
      return { save: false };
    }
  }
  return { ask, shown, trying: isPending, error };
}
