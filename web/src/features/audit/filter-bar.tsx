import { useQuery } from "@tanstack/react-query";
import { ListFilter, X } from "lucide-react";
import { useState } from "react";
import { membersQuery } from "@/features/members/queries";
import { procurementAgent } from "@/lib/agents";
import { cx } from "@/lib/cx";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { ChoiceFilter, PeriodFilter } from "@/ui/filter";
import type { AuditSearch } from "./filter";
import { actionLabel, actorLabel, knownActions } from "./words";

interface FilterBarProps {
  search: AuditSearch;
  /** The name of the chosen subject, if an entry in the list has it. */
  subject: string | undefined;
  onChange: (next: AuditSearch) => void;
}

/** The filters of the list. The address holds all of them. */
export function FilterBar({ search, subject, onChange }: FilterBarProps) {
  const [shown, setShown] = useState(false);
  const { company } = usePlace();
  const members = useQuery(membersQuery(company.id)).data?.items ?? [];
  const names = new Map(members.map((member) => [member.id, member.name]));
  const set = (change: AuditSearch) => onChange({ ...search, ...change });
  const count = Object.keys(search).length;
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <Button
        className="md:hidden"
        icon={<ListFilter aria-hidden />}
        aria-expanded={shown}
        onClick={() => setShown(!shown)}
      >
        Filter{count > 0 && ` (${count})`}
      </Button>
      <div className={cx("contents", !shown && "max-md:hidden")}>
        <ChoiceFilter
          label="Who"
          any="Anybody"
          value={search.who}
          values={[...names.keys(), procurementAgent, "agent", "sync", "operator", "system"]}
          shown={(who) => names.get(who) ?? actorLabel(who)}
          onChange={(who) => set({ who })}
        />
        <ChoiceFilter
          label="What"
          any="Anything"
          value={search.what}
          values={knownActions}
          shown={actionLabel}
          onChange={(what) => set({ what })}
        />
        <PeriodFilter label="When" period={search} onChange={set} />
      </div>
      {search.about && (
        <Button icon={<X aria-hidden />} onClick={() => set({ about: undefined })}>
          <span className="max-w-40 truncate">
            <span className="sr-only">Remove the filter </span>about {subject ?? `…${search.about.slice(-8)}`}
          </span>
        </Button>
      )}
      {count > 0 && (
        <Button variant="ghost" size="sm" icon={<X aria-hidden />} onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </search>
  );
}
