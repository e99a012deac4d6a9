/** The browser's reader of barcodes, which not every browser has. */
export interface Detector {
  detect: (picture: HTMLVideoElement) => Promise<{ rawValue: string }[]>;
}

interface Detectors {
  new (options?: { formats: string[] }): Detector;
  getSupportedFormats: () => Promise<string[]>;
}

const detectors = () => (globalThis as { BarcodeDetector?: Detectors }).BarcodeDetector;

/** Whether this browser can read a code with a camera at all. */
export const hasCamera = () => Boolean(detectors() && navigator.mediaDevices?.getUserMedia);

/** What stands on goods and on their labels. */
const formats = ["ean_13", "ean_8", "upc_a", "upc_e", "code_128", "code_39", "itf", "qr_code", "data_matrix"];

export async function makeDetector(): Promise<Detector> {
  const Kind = detectors();
  if (!Kind) throw new Error("no detector");
  const known = await Kind.getSupportedFormats();
  const wanted = formats.filter((format) => known.includes(format));
  return wanted.length > 0 ? new Kind({ formats: wanted }) : new Kind();
}

/** A code counts again once it was out of sight for this long, in milliseconds. */
const outOfSight = 1000;

/** The codes that came into sight; `lastSeen` remembers when each was seen last. */
export function newCodes(lastSeen: Map<string, number>, codes: readonly string[], now: number): string[] {
  const seen = [...new Set(codes.map((code) => code.trim()))].filter(Boolean);
  const fresh = seen.filter((code) => now - (lastSeen.get(code) ?? Number.NEGATIVE_INFINITY) > outOfSight);
  for (const code of seen) lastSeen.set(code, now);
  return fresh;
}

/** Says why the camera shows nothing. */
export function whyNoCamera(error: unknown): string {
  switch (error instanceof Error ? error.name : "") {
    case "NotAllowedError":
      return "The browser may not use the camera here. Allow it in the site's settings, then try again.";
    case "NotFoundError":
    case "OverconstrainedError":
      return "This device has no camera.";
    case "NotReadableError":
      return "Another program uses the camera. Close it, then try again.";
    default:
      return "The camera cannot be used. Type the code, or use a scanner.";
  }
}
