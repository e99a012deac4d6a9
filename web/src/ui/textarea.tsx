import { Field } from "@base-ui/react/field";
import type { ComponentProps } from "react";
import { cx } from "@/lib/cx";
import { controlClass, controlText } from "./input";

interface TextareaProps extends ComponentProps<"textarea"> {
  mono?: boolean;
}

export function Textarea({ mono, className, rows = 4, ...rest }: TextareaProps) {
  return (
    <Field.Control
      render={<textarea rows={rows} />}
      {...(rest as ComponentProps<typeof Field.Control>)}
      className={cx(
        controlClass,
        controlText,
        "block min-h-16 px-2.5 py-1.5",
        mono && "font-mono text-xs",
        className,
      )}
    />
  );
}
