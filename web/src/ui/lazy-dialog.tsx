import { type ComponentType, lazy, Suspense } from "react";

/**
 * A dialog that is loaded when it is first shown. For those with a form: it brings validation
 * that most who look at the page never need.
 */
export function lazyDialog<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  return function LazyDialog(props: P) {
    return (
      <Suspense>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
