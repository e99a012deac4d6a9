import { Anchor } from "lucide-react";

export function Brand() {
  return (
    <span className="flex items-center gap-2 font-semibold text-base">
      <span className="grid size-6 place-items-center rounded-md bg-accent text-on-accent">
        <Anchor className="size-3.5" aria-hidden />
      </span>
      Quayside
    </span>
  );
}
