import { useState } from "react";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { Secret } from "@/ui/secret";
import { Snippet } from "@/ui/snippet";
import { codes } from "./sample-data";
import { Row, Section } from "./section";

export function Content() {
  const [saved, setSaved] = useState(false);
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
      <Row label="Copy">
        <code className="font-mono text-xs">/api/v1/in/orders</code>
        <CopyButton value="/api/v1/in/orders" />
        <CopyButton value="/api/v1/in/orders" text label="Copy endpoint" />
      </Row>
    </Section>
  );
}
