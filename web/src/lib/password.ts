import * as z from "zod/mini";

export const passwordHint = "At least 12 characters. A few words in a row are good.";

/** The rules for a new password; the service checks further ones. */
export const newPassword = z
  .string()
  .check(
    z.minLength(1, "Choose a password."),
    z.minLength(12, "A password needs at least 12 characters; a few words in a row are good."),
    z.maxLength(200, "A password has at most 200 characters."),
  );
