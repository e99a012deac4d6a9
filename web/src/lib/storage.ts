// Storage throws when the browser blocks it; a preference is never worth a crash.
export function readSetting(key: string): string | null {
  try {
    return localStorage.getItem(`quayside.${key}`);
  } catch {
    return null;
  }
}

export function writeSetting(key: string, value: string): void {
  try {
    localStorage.setItem(`quayside.${key}`, value);
  } catch {
    // The setting then lasts until the page is closed.
  }
}

export function dropSetting(key: string): void {
  try {
    localStorage.removeItem(`quayside.${key}`);
  } catch {
    // Blocked storage holds nothing to remove.
  }
}
