import { Card } from "@/ui/card";
import { SkeletonText } from "@/ui/skeleton";
import { Snippet } from "@/ui/snippet";
import { tokenPlaceholder } from "./clients";
import { useClientSnippets } from "./queries";

/** Settings for assistants, for people who already have a token. */
export function Connect() {
  const { items, ...snippet } = useClientSnippets(tokenPlaceholder);
  return (
    <Card
      title="Connect an assistant"
      description={
        <>
          Put your token in place of <code className="text-xs">{tokenPlaceholder}</code>.
        </>
      }
      className="mt-6"
    >
      {items ? (
        <Snippet {...snippet} codes={items} />
      ) : (
        <SkeletonText lines={4} label="Loading the address" />
      )}
    </Card>
  );
}
