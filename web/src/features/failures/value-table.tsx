import { Lightbulb } from "lucide-react";
import type { Column } from "@/api/types.gen";
import { formatNumber } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { readsSome, valuesLooked, valuesRest } from "@/messages/failure";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Input } from "@/ui/input";
import { Num } from "@/ui/num";
import { Select } from "@/ui/select";
import { Table, Td, Th } from "@/ui/table";
import { asJson, spelled, written } from "./fixes";
import type { DraftFix } from "./retry-search";
import {
  allowed,
  becomes,
  formOf,
  readingsFor,
  suggested,
  type ValueCounts,
  withForm,
  withValue,
} from "./values";

// No choice is a space. An empty value would show as nothing chosen.
const asItIs = " ";

interface ValueTableProps {
  field: string;
  column: Column | undefined;
  values: ValueCounts;
  fixes: DraftFix[];
  onChange: (fixes: DraftFix[]) => void;
  title?: string;
  /** What is counted. */
  counted?: string;
  /** What happens to a value that becomes nothing else. */
  note?: string;
}

/** What was sent in a field, how often, and what each value becomes. Nothing is chosen beforehand. */
export function ValueTable({
  field,
  column,
  values,
  fixes,
  onChange,
  title = `What ${field} becomes`,
  counted = "Payloads",
  note = "A value that becomes nothing else is sent again as it was.",
}: ValueTableProps) {
  const { locale } = useLocale();
  const { looked = 0, matching = 0, missing = 0, other = 0 } = values;
  const offered = column ? suggested(fixes, column, values) : fixes;
  const form = formOf(fixes, field);
  const read = new Map(
    values.readings?.find((one) => one.form === form)?.items.map(({ from, to }) => [from, to]),
  );
  return (
    <Card
      flush
      title={title}
      description={looked < matching ? valuesLooked({ some: looked, all: matching }, locale) : note}
      actions={
        offered.length > fixes.length && (
          <Button size="sm" icon={<Lightbulb aria-hidden />} onClick={() => onChange(offered)}>
            Use all suggestions
          </Button>
        )
      }
    >
      <ReadAs {...{ field, column, values, fixes, onChange }} className="border-line border-b px-4 py-3" />
      <Table caption={`Values of ${field}`}>
        <thead>
          <tr>
            <Th>Value</Th>
            <Th num>{counted}</Th>
            <Th>Becomes</Th>
          </tr>
        </thead>
        <tbody>
          {values.items.map(({ value, count }) => (
            <tr key={value}>
              <Td className="max-w-40 break-words font-mono text-xs">{value}</Td>
              <Td num>
                <Num value={count} />
              </Td>
              <Td className="w-1/2">
                {read.has(value) && becomes(fixes, field, value) === "" ? (
                  <span className="font-mono text-good-ink text-xs">{read.get(value)}</span>
                ) : (
                  <Becomes
                    value={value}
                    column={column}
                    to={becomes(fixes, field, value)}
                    onChange={(to) => onChange(withValue(fixes, field, value, to))}
                  />
                )}
              </Td>
            </tr>
          ))}
          {missing > 0 && (
            <tr>
              <Td className="text-muted">not sent</Td>
              <Td num>
                <Num value={missing} />
              </Td>
              <Td className="text-muted text-xs">Set the field below.</Td>
            </tr>
          )}
        </tbody>
      </Table>
      {other > 0 && <p className="px-4 py-2 text-muted text-xs">{valuesRest({ count: other }, locale)}</p>}
    </Card>
  );
}

/** How the texts of a field are written. Every form that reads some of them is offered, with what it makes of one. */
function ReadAs({
  field,
  column,
  values,
  fixes,
  onChange,
  className,
}: ValueTableProps & { className: string }) {
  const { locale } = useLocale();
  const readings = readingsFor(column, values);
  if (readings.length === 0) return null;
  const leave = { value: asItIs, label: "Leave them as they are" };
  return (
    <div className={className}>
      <Select
        aria-label={`How ${field} is written`}
        options={[
          leave,
          ...readings.map(({ form, count, items }) => ({
            value: form as string,
            label: `Read as ${column?.type === "number" ? "numbers" : "days"} written ${written[form]}`,
            hint: readsSome(
              {
                some: formatNumber(count, locale),
                all: formatNumber(values.looked ?? 0, locale),
                from: items[0]?.from ?? "",
                to: items[0]?.to ?? "",
              },
              locale,
            ),
          })),
        ]}
        value={formOf(fixes, field) || asItIs}
        onValueChange={(form) =>
          onChange(
            withForm(
              fixes,
              field,
              readings.find((one) => one.form === form),
            ),
          )
        }
      />
    </div>
  );
}

interface BecomesProps {
  value: string;
  column: Column | undefined;
  to: string;
  onChange: (to: string) => void;
}

function Becomes({ value, column, to, onChange }: BecomesProps) {
  const label = `What ${value} becomes`;
  const choices = column?.choices ?? (column?.type === "boolean" ? ["true", "false"] : undefined);
  if (!choices)
    return (
      <Input
        aria-label={label}
        className="h-8"
        mono
        value={to}
        placeholder="stays as it is"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <Select
      size="sm"
      className="w-full"
      aria-label={label}
      options={[
        { value: asItIs, label: allowed(column, value) ? "stays as it is" : "stays, and is refused" },
        ...choices.map((choice) => ({ value: choice, label: choice })),
        ...(column?.nullable ? [{ value: "null", label: "nothing: the field is cleared" }] : []),
      ]}
      value={to === "" ? asItIs : spelled(asJson(to))}
      // A choice is a text, even if it looks like a number.
      onValueChange={(to) => onChange(column?.choices?.includes(to) ? JSON.stringify(to) : to.trim())}
    />
  );
}
