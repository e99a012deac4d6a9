import { useId } from "react";
import { usePlace } from "@/lib/session";
import { dayIn, shiftDay } from "@/lib/time";
import { lessThanSuggested } from "@/messages/procurement";
import { Input } from "@/ui/input";
import { mostDaysOff } from "./later";
import { type Picked, restOf } from "./model";

interface RestProps {
  pick: Picked;
  day: string;
  onDay: (day: string) => void;
}

/** Asks when the rest comes back, if less is ordered than suggested. Without a day, the playbook decides. */
export function Rest({ pick, day, onDay }: RestProps) {
  const { workspace } = usePlace();
  const field = useId();
  const rest = restOf(pick);
  if (rest === undefined) return null;
  const today = dayIn(workspace.time_zone, new Date());
  return (
    <span className="flex basis-full flex-wrap items-center gap-2 text-muted text-xs">
      <label htmlFor={field}>{lessThanSuggested({ count: rest }, workspace.locale)}</label>
      <Input
        id={field}
        type="date"
        className="h-7! w-36! pointer-coarse:h-10!"
        min={shiftDay(today, 1)}
        max={shiftDay(today, mostDaysOff)}
        value={day}
        onChange={(event) => onDay(event.currentTarget.value)}
      />
    </span>
  );
}
