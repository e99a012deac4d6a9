import type { Import, Reading } from "@/api/types.gen";
import { type Option, Select } from "@/ui/select";

const delimiters: Option<string>[] = [
  { value: ",", label: "Comma" },
  { value: ";", label: "Semicolon" },
  { value: "\t", label: "Tab" },
  { value: "|", label: "Bar" },
];
const encodings: Option<string>[] = [
  { value: "utf-8", label: "UTF-8" },
  { value: "windows-1252", label: "Windows-1252", hint: "Western European spreadsheets" },
  { value: "windows-1250", label: "Windows-1250", hint: "Central European spreadsheets" },
  { value: "iso-8859-15", label: "ISO-8859-15" },
  { value: "utf-16", label: "UTF-16" },
];
const empties: Option<string>[] = [
  { value: "skip", label: "Leave the stored value" },
  { value: "null", label: "Clear the stored value" },
];

interface ReadingOptionsProps {
  one: Import;
  onChange: (reading: Reading) => void;
}

/** The options for reading the file; the service has detected the initial ones. */
export function ReadingOptions({ one, onChange }: ReadingOptionsProps) {
  const { reading, format, sheets } = one;
  const text = format !== "xlsx";
  const cells = format === "csv" || format === "xlsx";
  const set = (change: Partial<Reading>) => {
    // Keeps the other options; the service detects empty ones.
    const kept: Reading = { ...reading, ...change };
    onChange(Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== "")) as Reading);
  };
  const encoding = reading.encoding || "utf-8";
  return (
    <section aria-label="How the file is read" className="flex flex-wrap gap-x-5 gap-y-3">
      {format === "csv" && (
        <Choice
          label="Delimiter"
          value={reading.delimiter ?? ","}
          options={withOwn(delimiters, reading.delimiter)}
          onChange={(delimiter) => set({ delimiter })}
        />
      )}
      {text && (
        <Choice
          label="Encoding"
          value={encoding}
          options={withOwn(encodings, encoding)}
          onChange={(next) => set({ encoding: next })}
        />
      )}
      {sheets.length > 1 && (
        <Choice
          label="Sheet"
          value={reading.sheet || (sheets[0] ?? "")}
          options={sheets.map((sheet) => ({ value: sheet, label: sheet }))}
          onChange={(sheet) => set({ sheet })}
        />
      )}
      {cells && (
        <Choice
          label="Empty cells"
          value={reading.empty || "skip"}
          options={empties}
          onChange={(empty) => set({ empty: empty as "skip" | "null" })}
        />
      )}
    </section>
  );
}

/** A list of options that always includes the detected one. */
function withOwn(options: Option<string>[], value: string | undefined): Option<string>[] {
  if (!value || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: value }];
}

interface ChoiceProps {
  label: string;
  value: string;
  options: Option<string>[];
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <div className="flex min-w-40 flex-col gap-1">
      <span aria-hidden className="text-muted text-xs">
        {label}
      </span>
      <Select
        aria-label={label}
        value={value}
        options={options}
        onValueChange={(next) => next !== value && onChange(next)}
      />
    </div>
  );
}
