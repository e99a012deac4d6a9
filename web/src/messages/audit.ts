import { message } from "@/lib/message";

export const tokensEnded = message(" and ended {count, plural, one {# token} other {# tokens}}");
export const worksForDays = message("works for {count, plural, one {# day} other {# days}} more");
export const worksForHours = message("works for {count, plural, one {# hour} other {# hours}} more");
export const linesOfRun = message("{count, plural, =0 {} one {: # line} other {: # lines}}");
export const failedImports = message("{count, plural, one {# failed import} other {# failed imports}}");
export const linesOf = message("{count, plural, one {# line} other {# lines}}");
export const readTimes = message("read {count, plural, one {once} other {# times}}");
export const ordersOf = message("{count, plural, one {# order} other {# orders}}");
