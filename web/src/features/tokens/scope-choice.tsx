import { CircleAlert } from "lucide-react";
import { useId } from "react";
import { Checkbox } from "@/ui/checkbox";
import type { fittingScopes, Scope } from "./scopes";

interface ScopeChoiceProps {
  options: ReturnType<typeof fittingScopes>;
  value: readonly Scope[];
  onChange: (value: Scope[]) => void;
  error: string | undefined;
}

/** Chooses the token's scopes, among those that its owner's role allows. */
export function ScopeChoice({ options, value, onChange, error }: ScopeChoiceProps) {
  const errorId = useId();
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby={error && errorId}>
      <legend className="mb-1.5 font-medium text-ink text-sm">What it may do</legend>
      {options.map((scope) => (
        <Checkbox
          key={scope.value}
          label={scope.label}
          hint={scope.hint}
          checked={value.includes(scope.value)}
          onCheckedChange={(on) =>
            onChange(on ? [...value, scope.value] : value.filter((one) => one !== scope.value))
          }
        />
      ))}
      {error && (
        <p id={errorId} role="alert" className="flex items-start gap-1.5 text-bad-ink text-xs">
          <CircleAlert className="mt-px size-3.5 shrink-0" aria-hidden />
          {error}
        </p>
      )}
    </fieldset>
  );
}
