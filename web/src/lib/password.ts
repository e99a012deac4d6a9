import { z } from "zod";

export const passwordHint = "At least 12 characters. A few words in a row are good.";

/** A password that somebody chooses; the service knows the rest of the rules. */
export const newPassword = z
  .string()
  .min(1, "Choose a password.")
  .min(12, "A password needs at least 12 characters; a few words in a row are good.")
  .max(200, "A password has at most 200 characters.");
