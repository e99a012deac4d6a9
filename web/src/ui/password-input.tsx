import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { IconButton } from "./icon-button";
import { Input } from "./input";

interface PasswordInputProps extends Omit<ComponentProps<"input">, "type"> {
  /** Tells password managers whether to fill in a password or to suggest one. */
  autoComplete: "current-password" | "new-password";
}

/** A single field with a button that shows the password, instead of a second field to repeat it. */
export function PasswordInput(props: PasswordInputProps) {
  const [shown, setShown] = useState(false);
  return (
    <Input
      {...props}
      type={shown ? "text" : "password"}
      autoCapitalize="none"
      spellCheck={false}
      className="pr-10! pointer-coarse:pr-12!"
      trail={
        <IconButton
          label={shown ? "Hide password" : "Show password"}
          icon={shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          size="sm"
          tooltip={false}
          className="-mr-1"
          onClick={() => setShown(!shown)}
        />
      }
    />
  );
}
