// Order matters: every browser also claims to be its predecessors.
const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/.*Safari\//, "Safari"],
];

const systems: [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Macintosh|Mac OS X/, "Mac"],
  [/Linux/, "Linux"],
];

const find = (list: [RegExp, string][], agent: string) => list.find(([pattern]) => pattern.test(agent))?.[1];

/** "Firefox on Windows", from a User-Agent header; other programs keep their own name. */
export function deviceName(agent: string): string {
  const browser = find(browsers, agent);
  const system = find(systems, agent);
  if (browser && system) return `${browser} on ${system}`;
  const program = /^([\w.-]+)\//.exec(agent)?.[1];
  return browser ?? system ?? (program && program !== "Mozilla" ? program : "Unknown device");
}

/** Shown with another icon. */
export function isPhone(agent: string): boolean {
  return /iPhone|iPad|Android|Mobile/.test(agent);
}
