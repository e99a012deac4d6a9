import type { ReactNode } from "react";
import { Page } from "@/ui/page";
import { Tabs } from "@/ui/tabs";
import { Customers } from "./customers";
import { Demand } from "./demand";
import { Families } from "./families";
import { useInsights } from "./queries";
import { Sales } from "./sales";
import { Seasons } from "./seasons";
import type { InsightTab } from "./tabs";

const tabs: { value: InsightTab; label: string; panel: ReactNode }[] = [
  { value: "sales", label: "Sales", panel: <Sales /> },
  { value: "seasons", label: "Seasons", panel: <Seasons /> },
  { value: "families", label: "Families", panel: <Families /> },
  { value: "demand", label: "Demand", panel: <Demand /> },
  { value: "customers", label: "Customers due", panel: <Customers /> },
];

/** What sold, what rises and falls, what will sell, and who is due to order. */
export function InsightsPage() {
  const [{ tab = "sales" }, change] = useInsights();
  return (
    <Page title="Insights" description="What sold, what will sell, and who is due to order again.">
      <Tabs
        label="Insights"
        value={tab}
        onValueChange={(next) => change({ tab: next === "sales" ? undefined : next })}
        tabs={tabs}
      />
    </Page>
  );
}
