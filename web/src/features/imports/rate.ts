import { minutesLeft, secondsLeft } from "@/messages/imports";

/** How much was done at a moment. */
export interface Moment {
  at: number;
  done: number;
}

const span = 10_000;

/** Adds a moment and drops those that are too old. */
export function note(moments: readonly Moment[], now: Moment): readonly Moment[] {
  const kept = moments.filter((moment) => now.at - moment.at <= span);
  return [...kept, now];
}

/** Records per second over the moments, or since the start while there is only one. */
export function perSecond(moments: readonly Moment[], started?: number): number {
  const last = moments.at(-1);
  if (!last) return 0;
  const first =
    moments.length > 1 ? moments[0] : started !== undefined ? { at: started, done: 0 } : undefined;
  if (!first || last.at <= first.at) return 0;
  return ((last.done - first.done) * 1000) / (last.at - first.at);
}

/** The remaining time as text; undefined while unknown. */
export function timeLeft(records: number, rate: number, locale: string): string | undefined {
  if (rate <= 0 || records <= 0) return undefined;
  const seconds = records / rate;
  if (seconds < 5) return "a few seconds left";
  if (seconds < 90) return secondsLeft({ count: Math.round(seconds / 5) * 5 }, locale);
  return minutesLeft({ count: Math.round(seconds / 60) }, locale);
}
