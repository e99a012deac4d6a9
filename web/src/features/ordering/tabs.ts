// The tabs of a browser that make a new order from the same supplier make one order together. A Web
// Lock tells which order a tab has made, and ends with the tab. Without Web Locks, which insecure
// addresses do not have, each tab makes its own.

const locks = typeof navigator === "undefined" ? undefined : navigator.locks;

/** Names what the tabs share. */
export const newOrderOf = (workspace: string, supplier: string) =>
  `quayside/new-order/${workspace}/${supplier}`;

/** Runs alone among the tabs, with the order that another one has made. */
export async function alone<T>(name: string, run: (made: string | undefined) => Promise<T>): Promise<T> {
  if (!locks) return run(undefined);
  return locks.request(name, async () => {
    const { held = [] } = await locks.query();
    const other = held.find((lock) => lock.name?.startsWith(`${name}/`));
    return run(other?.name?.slice(name.length + 1));
  });
}

/** Tells the other tabs of an order that this one has made. The returned function ends this. */
export async function announce(name: string, order: string): Promise<() => void> {
  if (!locks) return () => {};
  return new Promise((told) => {
    void locks.request(
      `${name}/${order}`,
      { mode: "shared" },
      () => new Promise<void>((release) => told(release)),
    );
  });
}
