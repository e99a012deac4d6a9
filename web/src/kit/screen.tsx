import { Ellipsis, KeyRound, Plus, Send } from "lucide-react";
import { StatusBadge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { IconButton } from "@/ui/icon-button";
import { Menu, MenuItem } from "@/ui/menu";
import { Num } from "@/ui/num";
import { Page } from "@/ui/page";
import { Sparkline } from "@/ui/sparkline";
import { Tabs } from "@/ui/tabs";
import { Time } from "@/ui/time";
import { KitLayout } from "./kit-layout";
import { minutesAgo, type Source, sources } from "./sample-data";

function SourceCard({ source }: { source: Source }) {
  const facts: [string, number, boolean][] = [
    ["Rows", source.rows, false],
    ["Keys", source.keys, false],
    ["Failures", source.failures, source.failures > 0],
    ["Pending", source.pending, false],
  ];
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          {source.table}
          <StatusBadge status={source.status} />
        </span>
      }
      actions={
        <Menu
          trigger={
            <IconButton
              label={`More for ${source.table}`}
              icon={<Ellipsis />}
              size="sm"
              tooltip={false}
              className="-mt-0.5 -mr-1.5"
            />
          }
        >
          <MenuItem icon={<Send />}>Send a test record</MenuItem>
          <MenuItem icon={<KeyRound />}>Create a key</MenuItem>
        </Menu>
      }
    >
      <div className="-mt-2 flex items-center gap-0.5 text-muted">
        <code className="min-w-0 truncate font-mono text-xs">{source.endpoint}</code>
        <CopyButton value={source.endpoint} label="Copy endpoint" />
      </div>
      <div className="mt-2">
        <Sparkline buckets={source.buckets} label="Last 24 hours" className="h-10" />
        <div className="mt-1 flex justify-between text-subtle text-xs">
          <span>24 hours</span>
          {source.last < 0 ? (
            <span>No record yet</span>
          ) : (
            <span>
              Last record <Time value={minutesAgo(source.last)} />
            </span>
          )}
        </div>
      </div>
      <dl className="mt-3 grid grid-cols-4 gap-2 border-line border-t pt-3">
        {facts.map(([name, value, alarming]) => (
          <div key={name} className="min-w-0">
            <dt className="truncate text-subtle text-xs">{name}</dt>
            <dd
              className={alarming ? "font-semibold text-bad-ink text-base" : "font-medium text-base text-ink"}
            >
              <Num value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

export function ScreenPage() {
  return (
    <KitLayout>
      <Page
        title="Data sources"
        description="Where your tables get their records from."
        actions={
          <>
            <Button icon={<KeyRound aria-hidden />}>Create a key</Button>
            <Button variant="primary" icon={<Plus aria-hidden />}>
              New source
            </Button>
          </>
        }
      >
        <Tabs
          label="Filter sources"
          tabs={[
            { value: "all", label: "All", count: 4 },
            { value: "failing", label: "Failing", count: 1 },
            { value: "waiting", label: "Waiting", count: 1 },
          ]}
        >
          <div className="grid gap-4 pt-1 lg:grid-cols-2">
            {sources.map((source) => (
              <SourceCard key={source.table} source={source} />
            ))}
          </div>
        </Tabs>
      </Page>
    </KitLayout>
  );
}
