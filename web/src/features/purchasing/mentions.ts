export interface Named {
  id: string;
  name: string;
}

interface Part {
  text: string;
  /** The members of that name; none for plain text. */
  ids: string[];
}

const wordEnd = /^(?![\p{L}\p{N}])/u;

/** Splits a text at its mentions, such as "@Ana Silva". Of names that begin alike the longest counts. */
export function splitMentions(text: string, members: readonly Named[]): Part[] {
  const names = [...new Set(members.map(({ name }) => name).filter(Boolean))].sort(
    (a, b) => b.length - a.length,
  );
  const parts: Part[] = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const begins = text[at] === "@" && !/[\p{L}\p{N}]$/u.test(text.slice(0, at));
    const rest = text.slice(at + 1);
    const name = begins && names.find((one) => rest.startsWith(one) && wordEnd.test(rest.slice(one.length)));
    if (name) {
      if (plain) parts.push({ text: plain, ids: [] });
      plain = "";
      const ids = members.filter((member) => member.name === name).map(({ id }) => id);
      parts.push({ text: `@${name}`, ids });
      at += 1 + name.length;
    } else {
      plain += text[at];
      at++;
    }
  }
  if (plain) parts.push({ text: plain, ids: [] });
  return parts;
}

/** The ids of the members that a text mentions. */
export function mentionsIn(text: string, members: readonly Named[]): string[] {
  return [...new Set(splitMentions(text, members).flatMap(({ ids }) => ids))];
}

const maxSuggested = 5;

/** The members to suggest for the "@na" before the caret, and where it begins. */
export function suggestMembers(text: string, caret: number, members: readonly Named[]) {
  const typed = /(?:^|[^\p{L}\p{N}@])@([\p{L}\p{N}'.-]*(?: [\p{L}\p{N}'.-]+)?)$/u.exec(
    text.slice(0, caret),
  )?.[1];
  if (typed === undefined) return { from: caret, found: [] };
  const wanted = typed.toLowerCase();
  const found = members.filter(({ name }) => {
    const low = name.toLowerCase();
    return low.startsWith(wanted) || low.split(" ").some((word) => word.startsWith(wanted));
  });
  return { from: caret - typed.length - 1, found: found.slice(0, maxSuggested) };
}
