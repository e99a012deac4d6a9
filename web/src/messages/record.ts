import { message } from "@/lib/message";

// Figures of the track record.
export const asSuggested = message("{count} as suggested");
export const fewer = message("{count} fewer");
export const more = message("{count} more");
export const turnedDown = message("{count} turned down");
export const putOff = message("{count} put off");
export const undecided = message("{count} undecided");
export const takenBack = message("{count} taken back");
export const tooLate = message("{count} too late to help");
export const waiting = message("{count} waiting for a decision");
export const bySupplier = message("{count} waiting for the supplier");
export const tooFew = message("{count} after it came");
export const ofJudged = message("of {count} judged so far");
export const notKnown = message("{count} not known");
export const daysToDecide = message(
  "{count, plural, =0 {half decided on the same day} one {half decided within # day} other {half decided within # days}}",
);
export const inOrders = message("{count, plural, =0 {} one {left of # order} other {left of # orders}}");
