import { FileUp } from "lucide-react";
import { allStatuses, Badge, StatusBadge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { EmptyState } from "@/ui/empty-state";
import { LiveNote } from "@/ui/live-note";
import { Money, Num } from "@/ui/num";
import { Progress } from "@/ui/progress";
import { SkeletonRows, SkeletonText } from "@/ui/skeleton";
import { Sparkline } from "@/ui/sparkline";
import { Table, Th } from "@/ui/table";
import { Tabs } from "@/ui/tabs";
import { Time } from "@/ui/time";
import { minutesAgo, orders, sources } from "./sample-data";
import { Row, Section } from "./section";

const fresh = {
  data: orders,
  error: null,
  fetchStatus: "idle",
  dataUpdatedAt: minutesAgo(2).getTime(),
  refetch: () => {},
};

export function Data() {
  return (
    <Section id="data" title="Data">
      <Row label="Status">
        {allStatuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </Row>
      <Row label="Badges">
        <Badge>Neutral</Badge>
        <Badge tone="info">Info</Badge>
        <Badge tone="good">Good</Badge>
        <Badge tone="warn">Data incomplete</Badge>
        <Badge tone="bad">Bad</Badge>
      </Row>
      <Row label="Numbers" wide>
        <Num value={182406} />
        <Num value="1234567.891" digits={2} />
        <Num value={0.073} percent />
        <Num value={24} unit="pcs" />
        <Num value={null} />
        <Money amount="18240.50" />
        <Money amount="62908.75" currency="USD" />
      </Row>
      <Row label="Times" wide>
        <Time value={minutesAgo(0.2)} />
        <Time value={minutesAgo(12)} />
        <Time value={minutesAgo(60 * 30)} />
        <Time value={minutesAgo(-60 * 24 * 12 - 5)} />
      </Row>
      <Row label="Live notes" wide>
        <span className="flex h-10 w-full max-w-xl items-center">
          <LiveNote of={{ ...fresh, error: new Error("The service is away.") }} news={3} />
        </span>
      </Row>
      <Row label="Sparkline" wide>
        {sources.map((source) => (
          <span key={source.table} className="w-40">
            <Sparkline buckets={source.buckets} label={`${source.table}, last 24 hours`} />
          </span>
        ))}
      </Row>
      <Row label="Progress" wide>
        <span className="w-64">
          <Progress
            label="Retried"
            parts={[
              { value: 62, tone: "good" },
              { value: 9, tone: "bad" },
              { value: 4, tone: "warn" },
            ]}
            total={100}
          />
        </span>
      </Row>
      <Tabs
        label="Order status"
        tabs={[
          { value: "open", label: "Open", count: 12, panel: <p>Twelve open orders.</p> },
          { value: "approve", label: "To approve", count: 3, panel: <p>Three to approve.</p> },
          { value: "closed", label: "Closed", panel: <p>Closed orders.</p> },
        ]}
      />
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="Skeleton" flush>
          <Table caption="Loading rows">
            <thead>
              <tr>
                <Th>Order</Th>
                <Th>Supplier</Th>
                <Th>Status</Th>
              </tr>
            </thead>
            <tbody>
              <SkeletonRows rows={4} columns={3} />
            </tbody>
          </Table>
          <div className="border-line border-t px-4 py-3">
            <SkeletonText />
          </div>
        </Card>
        <Card title="Empty">
          <EmptyState
            icon={<FileUp aria-hidden />}
            action={<Button variant="primary">Import a file</Button>}
            docs={{ href: "/docs/import", label: "How imports work" }}
          >
            Suppliers appear here once the first file is imported.
          </EmptyState>
        </Card>
      </div>
    </Section>
  );
}
