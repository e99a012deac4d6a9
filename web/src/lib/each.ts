/** Calls a function for each item, a few at a time; starts no more after the first failure. */
export async function eachOf<T>(
  items: readonly T[],
  call: (item: T) => Promise<unknown>,
  atOnce = 4,
): Promise<void> {
  const waiting = items.values();
  let failed = false;
  const work = async () => {
    for (const item of waiting) {
      if (failed) return;
      try {
        await call(item);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
