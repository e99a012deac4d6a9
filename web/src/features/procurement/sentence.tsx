import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ReasonPart } from "@/api/types.gen";
import { usePlace } from "@/lib/session";

const linkClass =
  "rounded-sm text-accent-ink underline decoration-dotted underline-offset-2 hover:decoration-solid";

/** The sections of the details that parts of the sentence lead to. */
const sections: Partial<Record<NonNullable<ReasonPart["of"]>, string>> = {
  open_orders: "on-order",
  arrival: "on-order",
  stockout: "what-if",
  target: "arithmetic",
  rounding: "arithmetic",
};

/** The reason of a suggestion. Every number leads to what it was computed from. */
export function Sentence({ parts, product }: { parts: readonly ReasonPart[]; product: string }) {
  return (
    <p className="text-base leading-relaxed">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move
        <Part key={index} part={part} product={product} />
      ))}
    </p>
  );
}

function Part({ part: { text, of }, product }: { part: ReasonPart; product: string }): ReactNode {
  const { workspace } = usePlace();
  const params = { workspace: workspace.id };
  if (!of) return text;
  const section = sections[of];
  if (section)
    return (
      <button type="button" className={linkClass} onClick={() => reveal(section)}>
        {text}
      </button>
    );
  if (of === "accuracy")
    return (
      <Link
        to="/w/$workspace/insights"
        params={params}
        search={{ tab: "demand", product }}
        className={linkClass}
      >
        {text}
      </Link>
    );
  return (
    <Link
      to="/w/$workspace/products/$record"
      params={{ ...params, record: product }}
      {...(of === "lead_time" && { hash: "punctuality" })}
      className={linkClass}
    >
      {text}
    </Link>
  );
}

function reveal(section: string): void {
  const element = document.getElementById(section);
  element?.scrollIntoView({ block: "nearest" });
  element?.focus({ preventScroll: true });
}
