import { lazyOnceOpened } from "@/ui/lazy-dialog";

/** The dialog that creates a token, loaded when it is first opened. */
export const CreateToken = lazyOnceOpened(
  async () => (await import("./create-token-dialog")).CreateTokenDialog,
);
