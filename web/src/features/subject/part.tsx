import type { ReactNode } from "react";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";

export interface Answer<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

interface PartProps<T> {
  /** For links to this section of the page. */
  id?: string;
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  of: Answer<T>;
  /** No padding, for a table that runs to the edges. */
  flush?: boolean;
  className?: string;
  /** Said instead of the content. */
  empty?: (data: T) => ReactNode;
  children: (data: T) => ReactNode;
}

/** One section of the page, with its own states: loading, failed, nothing to show. */
export function Part<T>({
  id,
  title,
  description,
  actions,
  of,
  flush,
  className,
  empty,
  children,
}: PartProps<T>) {
  const { data, error, refetch } = of;
  const nothing = data !== undefined && empty?.(data);
  const plain = data === undefined || Boolean(nothing);
  return (
    <Card
      id={id}
      title={title}
      description={description}
      actions={actions}
      flush={flush === true && !plain}
      className={className ?? ""}
    >
      {data === undefined && error !== null && error !== undefined && (
        <ErrorNote error={error} retry={refetch} />
      )}
      {data === undefined && !error && <SkeletonText lines={4} label={`Loading: ${title}`} />}
      {data !== undefined && (nothing ? <p className="text-muted">{nothing}</p> : children(data))}
    </Card>
  );
}
