import type { AgentWork, Yesterday as Day } from "@/api/types.gen";
import { LeftOut } from "@/features/purchasing/left-out";
import { formatNumber, formatSum } from "@/lib/format";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { formatDay } from "@/lib/time";
import { runs, unconverted, usually, weekdays } from "@/messages/today";
import { Section } from "./parts";

/** What was sold yesterday, beside what is usual on such a weekday. */
export function Yesterday({ yesterday }: { yesterday: Day }) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const { day, currency, weekdays: count, unconverted_lines: left } = yesterday;
  return (
    <Section
      title="Yesterday against usual"
      link={{ to: "/w/$workspace/insights", params: { workspace: workspace.id } }}
      description={formatDay(day, locale, { weekday: "long", day: "numeric", month: "long" })}
    >
      <dl className="grid grid-cols-2 gap-4">
        <Figure
          name="Net sales"
          value={formatSum(yesterday.net, currency, locale)}
          usual={formatSum(yesterday.usual_net, currency, locale)}
          change={yesterday.net_change}
        />
        <Figure
          name="Orders"
          value={formatNumber(yesterday.orders, locale)}
          usual={formatNumber(yesterday.usual_orders, locale, { digits: 0 })}
          change={yesterday.orders_change}
        />
      </dl>
      <p className="mt-3 text-muted text-xs">
        {weekdays({ count }, locale)}
        {left > 0 && ` ${unconverted({ count: left }, locale)}`} <LeftOut count={yesterday.left_out} />
      </p>
    </Section>
  );
}

interface FigureProps {
  name: string;
  value: string;
  usual: string;
  /** In percent; absent if nothing is usual. */
  change: string | undefined;
}

function Figure({ name, value, usual, change }: FigureProps) {
  const { locale } = useLocale();
  const sign = Number(change) > 0 ? "+" : "";
  return (
    <div className="tabular-nums">
      <dt className="text-muted">{name}</dt>
      <dd>
        <span className="font-semibold text-lg">{value}</span>
        {change !== undefined && (
          <span className="ml-2 font-medium">
            {sign}
            {formatNumber(Number(change) / 100, locale, { percent: true, digits: 0 })}
          </span>
        )}
        <span className="block text-muted">{usually({ usual }, locale)}</span>
      </dd>
    </div>
  );
}

/** What the procurement agent did since yesterday. */
export function Agents({ agents }: { agents: AgentWork }) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const { cut, drafted, submitted, refused } = agents;
  return (
    <Section
      title="What agents did"
      link={{ to: "/w/$workspace/agent-runs", params: { workspace: workspace.id } }}
    >
      <p className="text-muted tabular-nums">
        {agents.runs > 0
          ? runs({ cut: Number(cut), runs: agents.runs, drafted, submitted, refused }, locale)
          : "The procurement agent has not run since yesterday."}
      </p>
    </Section>
  );
}
