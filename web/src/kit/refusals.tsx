import { useRef, useState } from "react";
import { ApiError, unreachable } from "@/lib/problem";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Conflict } from "@/ui/conflict";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { ChoiceFilter, PeriodFilter, SearchField } from "@/ui/filter";
import { HangingPanel } from "@/ui/hanging-panel";
import { LineDiff } from "@/ui/line-diff";
import { PasswordInput } from "@/ui/password-input";
import { Popover } from "@/ui/popover";
import { Suggest } from "@/ui/suggest";
import { minutesAgo } from "./sample-data";
import { Row, Section } from "./section";

const refusal = new ApiError(
  { title: "Not found", detail: "there is no such order", code: "unknown_order" },
  404,
  "01J9Z3KX5V",
);

const zones = ["Europe/Berlin", "Europe/Lisbon", "Europe/London"].map((value) => ({ value, hint: "Europe" }));

function Hanging() {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button ref={anchor} aria-expanded={open} onClick={() => setOpen(!open)}>
        Hanging panel
      </Button>
      <HangingPanel anchor={anchor} open={open} onOpenChange={setOpen} title="Alerts">
        <p className="p-4">Nothing to tell.</p>
      </HangingPanel>
    </>
  );
}

/** Error messages and filters. */
export function Refusals() {
  const [status, setStatus] = useState<string | undefined>("open");
  const [period, setPeriod] = useState<{ since?: string | undefined; until?: string | undefined }>({});
  const [text, setText] = useState<string>();
  const [zone, setZone] = useState("Europe/Berlin");
  return (
    <Section id="refusals" title="Refusals and filters">
      <Row label="Refused, not answered, a fault of the page" wide>
        <div className="flex w-full flex-col gap-3">
          <ErrorNote error={refusal} retry={() => {}} />
          <ErrorNote error={unreachable(new TypeError("Failed to fetch"))} retry={() => {}} />
          <ErrorNote error={new TypeError("line is undefined")} />
        </div>
      </Row>
      <Row label="Conflict" wide>
        <Conflict
          by="Ben"
          at={minutesAgo(1).toISOString()}
          fields={[{ name: "Quantity", before: "12", theirs: "500", mine: "24" }]}
          also={["Note"]}
          onKeepMine={() => {}}
          onTakeTheirs={() => {}}
          className="w-full"
        />
      </Row>
      <Row label="Lines that changed" wide>
        <Card className="w-full">
          <LineDiff before={'{\n  "total": "12,5"\n}'} after={'{\n  "total": "12.5"\n}'} />
        </Card>
      </Row>
      <Row label="Filters" wide>
        <search className="w-56">
          <SearchField label="Search the kit" placeholder="Number or name" text={text} onSearch={setText} />
        </search>
        <ChoiceFilter
          label="Status"
          any="Any status"
          value={status}
          values={["open", "closed"]}
          shown={(value) => value}
          onChange={setStatus}
        />
        <PeriodFilter label="Time" period={period} onChange={setPeriod} />
      </Row>
      <Row label="Fields that offer more" wide>
        <Field label="Time zone">
          <Suggest options={zones} value={zone} onValueChange={setZone} empty="No such zone" />
        </Field>
        <Field label="Password">
          <PasswordInput autoComplete="new-password" />
        </Field>
        <Hanging />
        <Popover label="Columns" trigger={<Button>Popover</Button>}>
          <p className="p-3">A small form beside what it is about.</p>
        </Popover>
      </Row>
    </Section>
  );
}
