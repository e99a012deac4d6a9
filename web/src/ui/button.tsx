import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "@/lib/cx";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "sm" | "md";

const variants: Record<ButtonVariant, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover shadow-card",
  secondary: "bg-surface text-ink border border-line shadow-card hover:bg-hover dark:bg-raised",
  ghost: "text-muted hover:bg-hover hover:text-ink",
  danger: "bg-bad text-on-bad hover:bg-bad-hover shadow-card",
};

// At least 24 px tall for WCAG 2.5.8, and taller on touch screens.
const sizes: Record<ButtonSize, string> = {
  sm: "h-7 px-2.5 gap-1.5 text-xs pointer-coarse:h-9",
  md: "h-8 px-3 gap-2 text-sm pointer-coarse:h-10",
};

/** The style alone, for links that look like buttons. */
export function buttonClass(variant: ButtonVariant = "secondary", size: ButtonSize = "md"): string {
  return cx(
    "relative inline-flex shrink-0 items-center justify-center whitespace-nowrap rounded-md font-medium select-none transition-colors",
    "disabled:opacity-50 aria-disabled:cursor-default [&_svg]:size-4 [&_svg]:shrink-0",
    variants[variant],
    sizes[size],
  );
}

export interface ButtonProps extends ComponentProps<"button"> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
  /** While true, the button keeps its width and focus and ignores clicks. */
  loading?: boolean;
}

export function Button({
  variant,
  size,
  icon,
  loading = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={loading || undefined}
      aria-disabled={loading || rest["aria-disabled"]}
      onClick={loading ? (event) => event.preventDefault() : onClick}
      className={cx(buttonClass(variant, size), className)}
    >
      {loading && (
        <span className="absolute inset-0 grid place-items-center">
          <LoaderCircle className="animate-spin" aria-hidden />
        </span>
      )}
      <span className={cx("inline-flex items-center gap-[inherit]", loading && "opacity-0")}>
        {icon}
        {children}
      </span>
    </button>
  );
}
