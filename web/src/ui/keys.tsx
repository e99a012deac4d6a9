import { keyCaps } from "@/lib/shortcuts";

/** Key caps for a shortcut such as "mod+k" or "g o". */
export function Keys({ keys }: { keys: string }) {
  return (
    <kbd className="inline-flex gap-0.5 font-sans">
      {keyCaps(keys).map((cap, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a sequence may repeat a key, and never reorders
          key={index}
          className="grid h-4.5 min-w-4.5 place-items-center rounded-sm border border-line bg-sunken px-1 font-medium text-[0.6875rem] text-muted leading-none"
        >
          {cap}
        </span>
      ))}
    </kbd>
  );
}
