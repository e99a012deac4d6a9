import { expect, type Locator, type Page } from "@playwright/test";

/** Counts what a person presses on a walk, with the pointer and on the keyboard. Typing a text is not counted. */
export function countPresses(page: Page) {
  let presses = 0;
  return {
    click: async (target: Locator) => {
      presses++;
      await target.click();
    },
    key: async (keys: string) => {
      presses++;
      await page.keyboard.press(keys);
    },
    on: async (target: Locator, keys: string) => {
      presses++;
      await target.press(keys);
    },
    /** Ends the walk. The next one begins. */
    expectAtMost: (bound: number) => {
      expect(presses, "presses").toBeLessThanOrEqual(bound);
      presses = 0;
    },
  };
}
