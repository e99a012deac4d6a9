import { Link, type LinkProps } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { Amount } from "@/api/types.gen";
import { cx } from "@/lib/cx";
import { formatNumber, formatSum } from "@/lib/format";
import { Card } from "@/ui/card";

interface SectionProps {
  title: string;
  link: LinkProps;
  description?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A card whose heading leads to the list. */
export function Section({ title, link, description, className, children }: SectionProps) {
  return (
    <Card
      {...(className && { className })}
      title={
        <Link
          {...link}
          className="group -my-1 inline-flex min-h-8 items-center gap-1 rounded-sm hover:underline"
        >
          {title}
          <ChevronRight
            className="size-4 text-subtle transition-transform group-hover:translate-x-0.5 motion-reduce:transition-none"
            aria-hidden
          />
        </Link>
      }
      description={description}
    >
      {children}
    </Card>
  );
}

export function Rows({ children }: { children: ReactNode }) {
  return <ul className="-mx-2 -my-1 flex flex-col">{children}</ul>;
}

interface RowProps {
  /** Absent: there is nothing to go to. */
  link?: LinkProps | undefined;
  className?: string;
  children: ReactNode;
}

/** A line of a card; all of it is the link. */
export function Row({ link, className, children }: RowProps) {
  const look = cx(
    "flex min-h-9 items-center gap-x-3 rounded-md px-2 py-1 pointer-coarse:min-h-11",
    className,
  );
  return (
    <li>
      {link ? (
        <Link {...link} className={cx(look, "hover:bg-hover")}>
          {children}
        </Link>
      ) : (
        <div className={look}>{children}</div>
      )}
    </li>
  );
}

/** Amounts for use inside a sentence, those without a currency last. */
export function sumsText(sums: readonly Amount[], locale: string): string {
  return sums
    .toSorted((a, b) => Number(!a.currency) - Number(!b.currency))
    .map(({ amount, currency }) =>
      currency
        ? formatSum(amount, currency, locale)
        : `${formatNumber(amount, locale, { digits: 2 })} without a currency`,
    )
    .join(" + ");
}
