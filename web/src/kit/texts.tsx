import { useForm } from "react-hook-form";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Field } from "@/ui/field";
import { lazyPart } from "@/ui/lazy-part";
import { MarkdownField } from "@/ui/markdown-field";
import { toast } from "@/ui/toast";
import { WordDiff } from "@/ui/word-diff";
import { Section } from "./section";

const Markdown = lazyPart(() => import("@/ui/markdown").then((m) => m.Markdown));

const sop = `# Receiving goods

Count **before** you sign. See the [carrier's rules](https://example.com/rules) or
write to <desk@example.com>; a [trap](javascript:alert(1)) is no link.

1. Compare the delivery note with the order
   - quantities first
   - then \`SKU\` by \`SKU\`
2. Report damage ~~within a week~~ **on the same day**

> Two pairs of eyes for anything above 5,000 EUR.

- [x] Scales checked
- [ ] Labels ordered

| Family | Days | Share |
|---|---:|---:|
| Shirts | 12 | 40 % |
| Shoes | 30 | 60 % |

\`\`\`
quayside push receipts.csv --table receipts
\`\`\`

<script>alert("shown as text")</script>

![The ramp](https://example.com/ramp.jpg)
`;

const before = `Order when stock reaches the reorder point.
Safety stock covers two weeks.
Suppliers are asked once a week.
Every order needs one approval.
Large orders need two.
Prices are checked every quarter.
Damaged goods are sent back at once.
Nothing is ordered in the last week of a year.
Samples are kept for two seasons.
Returns go to the second ramp.
`;
const after = before
  .replace("two weeks", "three weeks of demand")
  .replace("Samples are kept for two seasons.\n", "");

function StrategyForm() {
  const { register, handleSubmit } = useForm({
    defaultValues: { strategy: "# Strategy\n\nBuy *less*, sooner." },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={handleSubmit(({ strategy }) => void toast.success(`${strategy.length} characters saved`))}
    >
      <Field label="Strategy" hint="Markdown. Everybody in the workspace reads it.">
        <MarkdownField {...register("strategy")} rows={8} />
      </Field>
      <Button type="submit" variant="primary" className="w-fit">
        Save the strategy
      </Button>
    </form>
  );
}

export function Texts() {
  return (
    <Section id="texts" title="Texts">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Markdown">
          <Markdown text={sop} />
        </Card>
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Markdown to be edited">
            <StrategyForm />
          </Card>
          <Card title="What changed, by words">
            <WordDiff before={before} after={after} />
          </Card>
          <Card
            title="What changed, by lines"
            description="As long texts are shown, and such as have little in common."
          >
            <WordDiff
              before={before.repeat(300)}
              after={before.repeat(300).replace("one approval", "two approvals")}
            />
          </Card>
        </div>
      </div>
    </Section>
  );
}
