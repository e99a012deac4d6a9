import { lazyOnceOpened } from "@/ui/lazy-dialog";

/** The dialog that makes a token, loaded when it is first opened. */
export const CreateToken = lazyOnceOpened(
  async () => (await import("./create-token-dialog")).CreateTokenDialog,
);
