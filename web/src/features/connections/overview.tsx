import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import type { ReactNode } from "react";
import { listExchangeMatchesOptions } from "@/api/@tanstack/react-query.gen";
import type { Connection } from "@/api/types.gen";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { missingMap } from "@/messages/connections";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { AccessCard, DeleteCard, PauseCard } from "./access";
import { SettingsCard } from "./settings";
import type { ConnectionTab } from "./tabs";
import { TestResult } from "./test-result";
import { WebhooksCard } from "./webhooks";

interface OverviewProps {
  connection: Connection;
  onShow: (tab: ConnectionTab) => void;
}

/** How a connection stands, and what is left to do before it can be used. */
export function Overview({ connection, onShow }: OverviewProps) {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        {connection.state === "active" ? (
          <PauseCard connection={connection} />
        ) : (
          <StepsCard connection={connection} onShow={onShow} />
        )}
        <AccessCard connection={connection} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <SettingsCard connection={connection} />
        <WebhooksCard connection={connection} />
        <DeleteCard connection={connection} />
      </div>
    </div>
  );
}

function StepsCard({ connection, onShow }: OverviewProps) {
  const { workspace } = usePlace();
  const { locale } = useLocale();
  const path = { workspace: workspace.id, connection: connection.id };
  const { test, may_export, may_load, location } = connection;
  const passed = test?.passed === true;
  const { data } = useQuery({
    ...listExchangeMatchesOptions({ path, query: { limit: 1 } }),
    enabled: passed,
  });
  const missing = data?.counts.find(({ kind }) => kind === "supplier")?.missing;
  return (
    <Card
      title={connection.state === "draft" ? "Before you start" : "Paused"}
      description={connection.paused_because}
    >
      <ol className="flex flex-col gap-3">
        <Step done={passed} wrong={test?.passed === false} title="Test the connection">
          <TestResult connection={connection} />
        </Step>
        <Step done={(may_export || may_load) && (!may_export || location !== "")} title="Say what it may do">
          {may_export && location === ""
            ? "Choose the location that exported orders arrive at, under Settings."
            : "Export, load or both, under Settings."}
        </Step>
        <Step done={missing === 0} title="Map suppliers and articles">
          {missing ? missingMap({ count: missing }, locale) : "Say which supplier here is which there."}
          <div className="mt-1.5">
            <Button size="sm" onClick={() => onShow("map")}>
              Open the map
            </Button>
          </div>
        </Step>
        <Step done={false} title="Look at a dry run">
          It shows what would happen to every order, and writes nothing.
          <div className="mt-1.5">
            <Button size="sm" onClick={() => onShow("dry-run")}>
              Open the dry run
            </Button>
          </div>
        </Step>
      </ol>
    </Card>
  );
}

interface StepProps {
  done: boolean;
  wrong?: boolean;
  title: string;
  children: ReactNode;
}

function Step({ done, wrong, title, children }: StepProps) {
  const [Icon, colour, said] = wrong
    ? ([CircleAlert, "text-bad-ink", "failed"] as const)
    : done
      ? ([CircleCheck, "text-good-ink", "done"] as const)
      : ([CircleDashed, "text-subtle", "open"] as const);
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2.5">
      <Icon className={`mt-0.5 size-4 ${colour}`} aria-hidden />
      <div>
        <h3 className="font-medium text-ink">
          {title}
          <span className="sr-only"> ({said})</span>
        </h3>
        <div className="text-muted">{children}</div>
      </div>
    </li>
  );
}
