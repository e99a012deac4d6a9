import { shiftDay } from "@/lib/time";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";

interface DayFieldProps {
  label: string;
  day: string;
  today: string;
  optional?: boolean;
  error?: string | undefined;
  onDay: (day: string) => void;
}

/** A day, with a button for a week later. */
export function DayField({ label, day, today, optional, error, onDay }: DayFieldProps) {
  return (
    <div className="flex items-end gap-2">
      <div className="flex-1">
        <Field label={label} error={error} {...(optional && { optional })}>
          <Input
            type="date"
            className="max-md:h-11"
            value={day}
            onChange={(event) => onDay(event.currentTarget.value)}
          />
        </Field>
      </div>
      <Button className="max-md:h-11" onClick={() => onDay(shiftDay(day || today, 7))}>
        +7 days
      </Button>
    </div>
  );
}
