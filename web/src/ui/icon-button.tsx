import type { ComponentProps, ReactNode } from "react";
import { cx } from "@/lib/cx";
import { type ButtonSize, type ButtonVariant, buttonClass } from "./button";
import { Tooltip } from "./tooltip";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  /** Read aloud and shown on hover, because an icon alone is unclear. */
  label: string;
  icon: ReactNode;
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** False if the button opens something that would cover the tooltip. */
  tooltip?: boolean;
}

export function IconButton({
  label,
  icon,
  variant = "ghost",
  size = "md",
  tooltip = true,
  className,
  ...rest
}: IconButtonProps) {
  const square = size === "sm" ? "w-7 pointer-coarse:w-9" : "w-8 pointer-coarse:w-10";
  const button = (
    <button
      type="button"
      aria-label={label}
      {...rest}
      className={cx(buttonClass(variant, size), "px-0!", square, className)}
    >
      {icon}
    </button>
  );
  return tooltip ? <Tooltip content={label}>{button}</Tooltip> : button;
}
