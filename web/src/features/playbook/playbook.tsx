import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePlace } from "@/lib/session";
import { Page } from "@/ui/page";
import { Tabs } from "@/ui/tabs";
import { ConfigCard } from "./config";
import { SopList, StrategyList } from "./lists";
import type { PlaybookTab } from "./tabs";

const tabs: { value: PlaybookTab; label: string; panel: ReactNode }[] = [
  { value: "config", label: "Config", panel: <ConfigCard /> },
  { value: "strategies", label: "Strategies", panel: <StrategyList /> },
  { value: "sops", label: "SOPs", panel: <SopList /> },
];

/** How the company buys: figures and rules, strategies for some articles, and procedures. */
export function PlaybookPage() {
  const { workspace, can } = usePlace();
  const { tab = "config" } = useSearch({ from: "/inside/w/$workspace/playbook" });
  const go = useNavigate();
  return (
    <Page
      title="Playbook"
      description={
        can("manage_purchasing")
          ? `How ${workspace.name} buys: figures and rules, strategies for some articles, and procedures.`
          : `How ${workspace.name} buys. A Company-Admin changes it.`
      }
    >
      <Tabs
        label="Playbook"
        value={tab}
        onValueChange={(next) =>
          void go({
            to: "/w/$workspace/playbook",
            params: { workspace: workspace.id },
            search: next === "config" ? {} : { tab: next },
            replace: true,
          })
        }
        tabs={tabs}
      />
    </Page>
  );
}
