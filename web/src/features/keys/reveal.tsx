import { Secret } from "@/ui/secret";
import { type Code, Snippet } from "@/ui/snippet";

interface RevealProps {
  /** What the secret is called. */
  label: string;
  secret: string;
  /** What to do with it first. */
  use: string;
  /** The ways to do so, with the secret in them; absent while they load. */
  codes: { label: string; items: readonly Code[] | undefined; setting?: string };
  done: () => void;
}

/** The one time that a secret is shown, with what uses it as it stands. */
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
