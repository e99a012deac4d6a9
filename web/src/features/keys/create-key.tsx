import { lazy, Suspense, useState } from "react";
import type { CreateKeyProps } from "./create-key-dialog";

// The form brings its validation with it; most who look at a table make no key.
const CreateKeyDialog = lazy(async () => ({
  default: (await import("./create-key-dialog")).CreateKeyDialog,
}));

/** The dialog that makes a key, loaded when it is first opened. */
export function CreateKey(props: CreateKeyProps) {
  const [wanted, setWanted] = useState(props.open);
  if (props.open && !wanted) setWanted(true);
  if (!wanted) return null;
  return (
    <Suspense>
      <CreateKeyDialog {...props} />
    </Suspense>
  );
}
