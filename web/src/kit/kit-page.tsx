import { Page } from "@/ui/page";
import { Charts } from "./charts";
import { Content } from "./content";
import { Controls } from "./controls";
import { Data } from "./data";
import { Edits } from "./edits";
import { KitLayout } from "./kit-layout";
import { Lists } from "./lists";
import { Overlays } from "./overlays";
import { Refusals } from "./refusals";
import { Texts } from "./texts";

export function KitPage() {
  return (
    <KitLayout>
      <Page title="Components" description="Every component in its states. Development only.">
        <Controls />
        <Overlays />
        <Edits />
        <Refusals />
        <Lists />
        <Data />
        <Charts />
        <Texts />
        <Content />
      </Page>
    </KitLayout>
  );
}
