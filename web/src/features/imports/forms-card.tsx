import { Check, CircleHelp } from "lucide-react";
import { useState } from "react";
import type { ColumnReading, ImportColumn, Mapped, WrittenForm } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { useLocale } from "@/lib/locale";
import { notWritten } from "@/messages/imports";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { agreed } from "./mapping";
import { meaning } from "./words";

type Form = NonNullable<Mapped["form"]>;

const examples: Record<Form, string> = {
  decimal_point: "1,234.56",
  decimal_comma: "1.234,56",
  day_first: "31.12.2026",
  month_first: "12/31/2026",
};

interface FormsCardProps {
  columns: readonly ImportColumn[];
  onChoose: (column: ImportColumn, form: Form) => void;
}

/**
 * How the numbers and days of the file are written, and a question where its values do not tell. The
 * answered questions stay, so that nothing moves under the finger and an answer can be taken back.
 */
export function FormsCard({ columns, onChoose }: FormsCardProps) {
  const isSettled = (column: ImportColumn) => column.reading?.verdict === "settled";
  const read = columns
    .filter((column) => column.reading)
    .toSorted((a, b) => Number(isSettled(a)) - Number(isSettled(b))); // questions first
  if (read.length === 0) return null;
  const open = read.filter(({ reading }) => !reading?.form);
  return (
    <Card
      id="forms"
      title="Numbers and days"
      description={
        open.length > 0
          ? "The values can be read in two ways. Say which is meant; nothing is guessed."
          : "How they are written in the file. All of its rows were read."
      }
    >
      <ul className="-my-2 divide-y divide-line">
        {read.map((column) => (
          <li key={column.from} className="py-2.5">
            {column.reading && (
              <OneColumn
                column={column}
                reading={column.reading}
                like={agreed(columns, column)}
                onChoose={(form) => onChoose(column, form)}
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface OneColumnProps {
  column: ImportColumn;
  reading: ColumnReading;
  /** Another column that is written in a form beyond doubt, if all such columns agree. */
  like: ImportColumn | undefined;
  onChoose: (form: Form) => void;
}

function OneColumn({ column, reading, like, onChoose }: OneColumnProps) {
  const { locale } = useLocale();
  const [changing, setChanging] = useState(false);
  const settled = reading.verdict === "settled";
  const by = reading.forms.find(({ only }) => only)?.only;
  return (
    <fieldset>
      <legend className="sr-only">How {column.from} is written</legend>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {!reading.form && <CircleHelp className="size-4 shrink-0 text-warn-ink" aria-hidden />}
        <span className="font-medium wrap-anywhere">{column.from}</span>
        {settled && by && (
          <span className="text-muted">
            {reading.form && `written ${examples[reading.form]}; `}
            <Text seen={by} /> can be read in one way only
          </span>
        )}
        {settled && !changing && (
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Change how ${column.from} is written`}
            onClick={() => setChanging(true)}
          >
            Change
          </Button>
        )}
        {reading.verdict === "ambiguous" && reading.either && (
          <span className="text-muted">
            <Text seen={reading.either} /> is
          </span>
        )}
        {reading.verdict === "contradictory" && (
          <span className="text-muted">
            has values of both forms:{" "}
            {reading.forms.map(({ form, only }, i) => (
              <span key={form}>
                {i > 0 && " and "}
                {only && <Text seen={only} />}
              </span>
            ))}
            . Those that are not written as you say are sent as they are.
          </span>
        )}
      </div>
      {(!settled || changing) && (
        <div className="mt-2 flex flex-wrap gap-2">
          {reading.forms.map((one) => (
            <Answer
              key={one.form}
              one={one}
              kind={reading.kind}
              pressed={reading.form === one.form}
              like={like?.reading?.form === one.form ? like.from : undefined}
              onPress={() => onChoose(one.form)}
            />
          ))}
        </div>
      )}
      {reading.not && (
        <p className="mt-1 text-subtle text-xs wrap-anywhere">
          {notWritten({ count: reading.not.count, text: reading.not.text, line: reading.not.line }, locale)}
        </p>
      )}
    </fieldset>
  );
}

/** A value of the file, and where it is. */
function Text({ seen }: { seen: { text: string; line: number } }) {
  return (
    <>
      <code className="rounded-sm bg-sunken px-1 text-ink">{seen.text}</code> in line {seen.line}
    </>
  );
}

interface AnswerProps {
  one: WrittenForm;
  kind: ColumnReading["kind"];
  pressed: boolean;
  like: string | undefined;
  onPress: () => void;
}

function Answer({ one, kind, pressed, like, onPress }: AnswerProps) {
  const { locale } = useLocale();
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
      className={cx(
        buttonClass(),
        "h-auto! min-h-8 max-w-full whitespace-normal! py-1.5 text-left",
        pressed && "border-accent! bg-accent-soft! text-accent-ink",
      )}
    >
      {pressed && <Check aria-hidden />}
      <span>
        {one.is && <span className="block">{meaning(kind, one.is, locale)}</span>}
        <span className={cx("block", one.is && "font-normal text-xs opacity-80")}>
          written {examples[one.form]}
          {like !== undefined && `, as in ${like}`}
        </span>
      </span>
    </button>
  );
}
