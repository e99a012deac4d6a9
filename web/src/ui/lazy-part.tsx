import { type ComponentType, lazy, Suspense } from "react";

/** A component that is loaded when it is first shown, with a placeholder until then. */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Waiting?: ComponentType<P>,
): ComponentType<P> {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  return function LazyPart(props: P) {
    return (
      <Suspense fallback={Waiting && <Waiting {...props} />}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
