import { Ban, CircleAlert, CircleCheck, CircleDashed, Clock, LoaderCircle } from "lucide-react";
import type { Import } from "@/api/types.gen";
import { Badge } from "@/ui/badge";

/** The status of an import. */
export function ImportBadge({ status }: { status: Import["status"] }) {
  switch (status) {
    case "ready":
      return <Badge icon={<CircleDashed aria-hidden />}>Not started</Badge>;
    case "queued":
      return <Badge icon={<Clock aria-hidden />}>Queued</Badge>;
    case "running":
      return (
        <Badge tone="info" icon={<LoaderCircle className="animate-spin" aria-hidden />}>
          Running
        </Badge>
      );
    case "done":
      return (
        <Badge tone="good" icon={<CircleCheck aria-hidden />}>
          Done
        </Badge>
      );
    case "cancelled":
      return <Badge icon={<Ban aria-hidden />}>Cancelled</Badge>;
    case "failed":
      return (
        <Badge tone="bad" icon={<CircleAlert aria-hidden />}>
          Stopped
        </Badge>
      );
  }
}
