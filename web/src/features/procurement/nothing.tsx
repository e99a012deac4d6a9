import { Link } from "@tanstack/react-router";
import { ListPlus } from "lucide-react";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { EmptyState } from "@/ui/empty-state";
import type { QueueTab } from "./search";

const texts: Record<QueueTab, string> = {
  order: "Nothing has to be ordered today.",
  expedite: "Nothing on order has to come sooner.",
  upcoming: "Nothing has to be ordered soon.",
  drafted: "No line from the queue waits for its order.",
  put_off: "Nothing is put off.",
};

interface NothingProps {
  tab: QueueTab;
  filtered: boolean;
  computed: string | undefined;
}

export function Nothing({ tab, filtered, computed }: NothingProps) {
  const { workspace } = usePlace();
  if (filtered) return <p className="px-4 py-10 text-center text-muted">No article matches.</p>;
  return (
    <EmptyState
      icon={<ListPlus aria-hidden />}
      action={
        <Link
          to="/w/$workspace/purchase-orders"
          params={{ workspace: workspace.id }}
          className={buttonClass()}
        >
          Purchase orders
        </Link>
      }
      docs={{ href: "/docs/to-order", label: "How the queue works" }}
    >
      {computed ? texts[tab] : "The queue is computed once there are articles and sales."}
    </EmptyState>
  );
}
