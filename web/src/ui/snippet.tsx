import { useId, useState } from "react";
import { readSetting, writeSetting } from "@/lib/storage";
import { CopyButton } from "./copy-button";
import { TabList, tabPanel } from "./tabs";

export interface Code {
  label: string;
  /** Where to put the code, if that is not obvious. */
  note?: string;
  code: string;
}

interface SnippetProps {
  label: string;
  codes: readonly Code[];
  /** A secret in the code: copied in full but shown masked, because screens are shared. */
  secret?: string | undefined;
  /** The setting that remembers the choice, for snippets that are not in programming languages. */
  setting?: string;
}

/** The same call in several languages; the choice is remembered for all snippets. */
export function Snippet({ label, codes, secret, setting = "snippet" }: SnippetProps) {
  const [chosen, setChosen] = useState(() => readSetting(setting));
  const id = useId();
  const current = codes.find((c) => c.label === chosen) ?? codes[0];
  if (!current) return null;
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center gap-2 border-line border-b bg-surface pr-1 pl-2">
        <TabList
          id={id}
          label={label}
          value={current.label}
          onChoose={(next) => {
            setChosen(next);
            writeSetting(setting, next);
          }}
          tabs={codes.map((item) => ({ value: item.label, label: item.label }))}
          className="flex flex-1 overflow-x-auto"
          tabClass="-outline-offset-2! h-9 shrink-0 rounded-md px-2 text-muted text-xs hover:text-ink aria-selected:font-medium aria-selected:text-accent-ink"
        />
        <CopyButton value={current.code} label={`Copy ${current.label}`} />
      </div>
      <div key={current.label} {...tabPanel(id, codes.indexOf(current))} className="-outline-offset-2!">
        {current.note && <p className="px-3 pt-2.5 text-muted text-xs">{current.note}</p>}
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard
          tabIndex={0}
          className="-outline-offset-2! overflow-x-auto px-3 py-2.5 font-mono text-ink text-xs leading-5"
        >
          <code>{secret ? current.code.replaceAll(secret, masked(secret)) : current.code}</code>
        </pre>
      </div>
    </div>
  );
}

/** The secret's first characters, which identify a key, and dots. */
function masked(secret: string): string {
  return `${secret.slice(0, 11)}${"•".repeat(8)}`;
}
