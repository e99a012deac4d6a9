import { Secret } from "@/ui/secret";
import { type Code, Snippet } from "@/ui/snippet";

interface RevealProps {
  /** The name of the secret. */
  label: string;
  secret: string;
  /** The heading of the examples. */
  use: string;
  /** The examples, which contain the secret; absent while they load. */
  codes: { label: string; items: readonly Code[] | undefined; setting?: string };
  done: () => void;
}

/** Shows a new secret, once, with ready examples of its use. */
export function Reveal({ label, secret, use, codes, done }: RevealProps) {
  const { items, ...snippet } = codes;
  return (
    <div className="flex flex-col gap-4">
      <Secret label={label} value={secret} onSaved={done} />
      {items && (
        <div className="min-w-0">
          <p className="mb-1.5 font-medium text-ink">{use}</p>
          <Snippet {...snippet} codes={items} secret={secret} />
        </div>
      )}
    </div>
  );
}
