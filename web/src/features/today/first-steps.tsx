import { Link } from "@tanstack/react-router";
import { ArrowRight, Circle, X } from "lucide-react";
import { useState } from "react";
import { usePlace } from "@/lib/session";
import { readSetting, writeSetting } from "@/lib/storage";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { IconButton } from "@/ui/icon-button";

const steps = ["Pick a table", "Get a key", "Send the first record"];

/** The way to the first record, until one is stored or the person hides it. */
export function FirstSteps() {
  const { workspace, person } = usePlace();
  const setting = `first-steps.${person.id}.${workspace.id}`;
  const [hidden, setHidden] = useState(() => readSetting(setting) === "hidden");
  if (hidden) return null;
  return (
    <Card
      title="Three steps to the first record"
      description="This page fills when records arrive."
      actions={
        <>
          <Link
            to="/w/$workspace/first-steps"
            params={{ workspace: workspace.id }}
            className={buttonClass("primary")}
          >
            First steps
            <ArrowRight aria-hidden />
          </Link>
          <IconButton
            label="Hide the first steps"
            icon={<X />}
            onClick={() => {
              writeSetting(setting, "hidden");
              setHidden(true);
              // The button is gone, so the focus moves to the content.
              document.getElementById("main")?.focus({ preventScroll: true });
            }}
          />
        </>
      }
    >
      <ol className="flex flex-wrap gap-x-6 gap-y-1">
        {steps.map((step) => (
          <li key={step} className="flex items-center gap-2">
            <Circle className="size-4 text-subtle" aria-hidden />
            {step}
          </li>
        ))}
      </ol>
    </Card>
  );
}
