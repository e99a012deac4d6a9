import { lazyOnceOpened } from "@/ui/lazy-dialog";

/** The dialog that creates a key, loaded when it is first opened. */
export const CreateKey = lazyOnceOpened(async () => (await import("./create-key-dialog")).CreateKeyDialog);
