import { type ComponentProps, useRef, useState } from "react";
import { cx } from "@/lib/cx";
import { lazyPart } from "./lazy-part";
import { SkeletonText } from "./skeleton";
import { Tabs } from "./tabs";
import { Textarea } from "./textarea";

const Preview = lazyPart(
  () => import("./markdown").then((m) => m.Markdown),
  () => <SkeletonText />,
);

interface MarkdownFieldProps extends ComponentProps<typeof Textarea> {
  /** The level of the preview's largest heading. */
  level?: 2 | 3 | 4;
}

/**
 * A text area for Markdown with a preview. It takes the props of Textarea, so `register("name")` of
 * react-hook-form and a surrounding Field work as usual. The text area stays mounted while the
 * preview is shown, and so keeps its value, its undo history and its place in the form.
 */
export function MarkdownField({ level, className, rows = 10, ...rest }: MarkdownFieldProps) {
  const box = useRef<HTMLDivElement>(null);
  const [tab, setTab] = useState<"write" | "preview">("write");
  const [shown, setShown] = useState({ text: "", height: 0 });

  function change(next: "write" | "preview") {
    const area = box.current?.querySelector("textarea");
    if (next === "preview" && area) setShown({ text: area.value, height: area.offsetHeight });
    setTab(next);
  }

  return (
    <div ref={box}>
      <Tabs
        label="Markdown"
        value={tab}
        onValueChange={change}
        tabs={[
          {
            value: "write",
            label: "Write",
            keep: true,
            panel: <Textarea rows={rows} className={cx("resize-y", className)} {...rest} />,
          },
          {
            value: "preview",
            label: "Preview",
            panel: (
              <div
                className="rounded-md border border-line bg-surface px-3 py-2"
                style={{ minHeight: shown.height }}
              >
                {shown.text.trim() ? (
                  <Preview text={shown.text} {...(level ? { level } : {})} />
                ) : (
                  <p className="text-muted">Nothing to preview.</p>
                )}
              </div>
            ),
          },
        ]}
      />
    </div>
  );
}
