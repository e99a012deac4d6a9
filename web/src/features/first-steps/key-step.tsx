import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { createKeyMutation } from "@/api/@tanstack/react-query.gen";
import type { SecretKey, Source } from "@/api/types.gen";
import { useReloadKeys } from "@/features/keys/queries";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ErrorNote } from "@/ui/error-note";

interface KeyStepProps {
  source: Source;
  made: SecretKey | undefined;
  done: (made: SecretKey) => void;
  allowed: boolean;
}

/** Creates a key with one click; its label says that it is from the first steps. */
export function KeyStep({ source, made, done, allowed }: KeyStepProps) {
  const { workspace } = usePlace();
  const reload = useReloadKeys(workspace.id);
  const { mutate, error, isPending } = useMutation({
    ...createKeyMutation(),
    onSuccess: (answer) => {
      done(answer);
      void reload();
    },
  });
  if (!allowed)
    return (
      <p className="text-muted">Only Company-Admins can create keys. Ask one for a key for {source.title}.</p>
    );
  const fits = made?.key.scope === source.slug;
  return (
    <>
      {error && <ErrorNote error={error} />}
      {made && fits ? (
        <p className="flex items-center gap-1 text-muted">
          The key is in the call below. It is shown only once: keep a copy.
          <CopyButton value={made.secret} label="Copy the key" />
        </p>
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          <Button
            variant="primary"
            icon={<KeyRound aria-hidden />}
            loading={isPending}
            onClick={() =>
              mutate({
                path: { workspace: workspace.id },
                body: { label: `First steps: ${source.title}`, scope: source.slug },
              })
            }
          >
            Create a key for {source.title}
          </Button>
          <span className="text-muted">It can write to this table and to nothing else.</span>
        </div>
      )}
    </>
  );
}
