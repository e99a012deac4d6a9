const day = 24 * 60 * 60 * 1000;

/** The lifetime of a secret that works until it is revoked. */
export const forever = "0";

/** The lifetimes of a secret, in days. */
export const lifetimes = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: forever, label: "Never", hint: "until it is revoked" },
] as const;

/** The end of a lifetime that begins now, as an API parameter. */
export function expiry(lifetime: string, now = Date.now()): { expires_at?: string } {
  if (lifetime === forever) return {};
  return { expires_at: new Date(now + Number(lifetime) * day).toISOString() };
}
