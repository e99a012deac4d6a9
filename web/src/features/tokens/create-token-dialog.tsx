import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Controller } from "react-hook-form";
import * as z from "zod/mini";
import { createTokenMutation } from "@/api/@tanstack/react-query.gen";
import type { Options } from "@/api/sdk.gen";
import type { CreateTokenData, SecretToken } from "@/api/types.gen";
import { expiry, lifetimes } from "@/features/keys/lifetime";
import { Reveal } from "@/features/keys/reveal";
import { useEditForm } from "@/lib/edit-form";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { useClientSnippets, useReloadTokens } from "./queries";
import { ScopeChoice } from "./scope-choice";
import { fittingScopes } from "./scopes";

const form = z.object({
  whom: z.enum(["me", "agent"]),
  label: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, "Say who will use the token."),
      z.maxLength(200, "At most 200 characters."),
    ),
  scopes: z
    .array(z.enum(["read", "write", "failed_imports", "admin"]))
    .check(z.minLength(1, "Choose at least one.")),
  lifetime: z.string(),
});

type TokenDraft = z.infer<typeof form>;

const owners = [
  { value: "me", label: "Me", hint: "an assistant that acts as you, within your role" },
  { value: "agent", label: "An agent", hint: "acts under a name of its own" },
] as const;

interface CreateTokenProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/**
 * Creates a token and shows it once. Mount it where it stays while the list of tokens changes: if it
 * unmounts, an unsaved token is lost.
 */
export function CreateTokenDialog({ open, onOpenChange }: CreateTokenProps) {
  const [made, setMade] = useState<SecretToken>();
  const { mutateAsync, isPending } = useMutation(createTokenMutation());
  return (
    <Dialog
      title={made ? "Your new token" : "Create a token"}
      description={made ? undefined : "A secret that an assistant or agent signs in with."}
      open={open}
      // An unsaved token must not be lost by an accidental click.
      onOpenChange={(next) => (next || (!made && !isPending)) && onOpenChange(next)}
      onClosed={() => setMade(undefined)}
      size="md"
    >
      {made ? (
        <RevealToken made={made} done={() => onOpenChange(false)} />
      ) : (
        <TokenForm create={mutateAsync} done={setMade} />
      )}
    </Dialog>
  );
}

function RevealToken({ made, done }: { made: SecretToken; done: () => void }) {
  return (
    <Reveal
      label={`The token “${made.token.label}”`}
      secret={made.secret}
      use="Give it to your assistant"
      codes={useClientSnippets(made.secret)}
      done={done}
    />
  );
}

interface TokenFormProps {
  create: (call: Options<CreateTokenData>) => Promise<SecretToken>;
  done: (made: SecretToken) => void;
}

function TokenForm({ create, done }: TokenFormProps) {
  const { workspace, can } = usePlace();
  const reload = useReloadTokens(workspace.id);
  const { register, control, submit, watch, formState, failure, edit } = useEditForm<TokenDraft, TokenDraft>({
    thing: "new-token",
    schema: form,
    seen: { whom: "me", label: "", scopes: ["read"], lifetime: "90" },
    toDraft: (seen) => seen,
    names: { agent: "whom", expires_at: "lifetime" },
    send: async ({ whom, label, scopes, lifetime }) => {
      const made = await create({
        path: { workspace: workspace.id },
        body: { label, agent: whom === "agent", scopes, ...expiry(lifetime) },
      });
      done(made);
      void reload();
      return undefined;
    },
  });
  const { errors } = formState;
  const agent = watch("whom") === "agent";
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      {can("manage_tokens") && (
        <Field label="For whom" error={errors.whom?.message}>
          <Controller
            control={control}
            name="whom"
            render={({ field }) => (
              <Select value={field.value} onValueChange={field.onChange} options={owners} />
            )}
          />
        </Field>
      )}
      <Field
        label={agent ? "Name of the agent" : "Label"}
        hint={
          agent
            ? "The name identifies the agent: with a new token of the same name it keeps its drafts."
            : "Which assistant will use it, so that you know later."
        }
        error={errors.label?.message}
      >
        <Input
          {...register("label")}
          placeholder={agent ? "Reorder agent" : "Claude on my laptop"}
          autoComplete="off"
        />
      </Field>
      <Controller
        control={control}
        name="scopes"
        render={({ field }) => (
          <ScopeChoice
            options={fittingScopes(agent, can)}
            value={field.value}
            onChange={field.onChange}
            error={errors.scopes?.message}
          />
        )}
      />
      <Field label="Expires" error={errors.lifetime?.message}>
        <Controller
          control={control}
          name="lifetime"
          render={({ field }) => (
            <Select value={field.value} onValueChange={field.onChange} options={lifetimes} />
          )}
        />
      </Field>
      {failure && <ErrorNote error={failure} />}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" loading={edit.saving}>
          Create token
        </Button>
      </div>
    </form>
  );
}
