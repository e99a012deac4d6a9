import { useState } from "react";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { JsonEditor } from "@/ui/json-editor";
import { JsonText } from "@/ui/json-text";
import { Secret } from "@/ui/secret";
import { Snippet } from "@/ui/snippet";
import { codes } from "./sample-data";
import { Row, Section } from "./section";

const payload = '{\n  "external_id": "SUP-7",\n  "lead_time_days": "soon",\n  "note": null\n}';
const wrong = {
  start: payload.indexOf('"lead'),
  end: payload.indexOf('"soon"') + 6,
  label: "expected a number",
};
const columns = [
  { name: "external_id", type: "text", description: "The supplier's id in your system.", required: true },
  { name: "status", type: "text", description: "", choices: ["open", "closed"] },
  { name: "lead_time_days", type: "number", description: "Days from order to arrival." },
];

export function Content() {
  const [saved, setSaved] = useState(false);
  const [record, setRecord] = useState('{\n  "external_id": "SUP-7",\n  "status": open\n}');
  return (
    <Section id="content" title="Keys and code">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Snippet" description="The choice of language is remembered.">
          <Snippet label="Send a record" codes={codes} />
        </Card>
        <Card title="Secret">
          {saved ? (
            <Button onClick={() => setSaved(false)}>Show the sample again</Button>
          ) : (
            <Secret
              label="The key"
              value="sample-key-that-opens-nothing-0001"
              onSaved={() => setSaved(true)}
            />
          )}
        </Card>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="JSON to be read" description="The mark says which field was wrong.">
          <JsonText label="A payload" text={payload} marks={[wrong]} />
        </Card>
        <Card title="JSON to be edited" description="Names and known values are offered while typing.">
          <JsonEditor label="A record" value={record} onValueChange={setRecord} columns={columns} />
        </Card>
      </div>
      <Row label="Copy">
        <code className="font-mono text-xs">/api/v1/in/orders</code>
        <CopyButton value="/api/v1/in/orders" />
        <CopyButton value="/api/v1/in/orders" text label="Copy endpoint" />
      </Row>
    </Section>
  );
}
