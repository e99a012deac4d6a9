import { type ComponentProps, lazy, Suspense } from "react";

// Loaded on demand, because their form and its lists are larger than the page.
const Create = lazy(async () => ({ default: (await import("./create-dialog")).CreateDialog }));
const Edit = lazy(async () => ({ default: (await import("./edit-dialog")).EditDialog }));

export function CreateDialog(props: ComponentProps<typeof Create>) {
  return (
    <Suspense>
      <Create {...props} />
    </Suspense>
  );
}

export function EditDialog(props: ComponentProps<typeof Edit>) {
  return (
    <Suspense>
      <Edit {...props} />
    </Suspense>
  );
}
