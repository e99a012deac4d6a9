// Prints what a first visit to each page downloads, and fails above the budget.
// e2e/app/pages.spec.ts compares these figures with a real browser.
import { budgetOf, budgets, firstVisits, lists, nameOf } from "./first-visit.mjs";

const { always, pages } = firstVisits(new URL("../dist/", import.meta.url));
const sizes = [...pages].sort(([, a], [, b]) => b - a);
const kB = (bytes) => `${(bytes / 1024).toFixed(1).padStart(6)} kB`;

console.log(`${kB(always)} gzipped script on every page; the largest first visits:`);
const isList = ([page]) => lists.includes(nameOf(page));
for (const [what, budget, some] of [
  ["pages", budgets.page, sizes.slice(0, 5)],
  ["lists", budgets.list, sizes.filter(isList).slice(0, 5)],
]) {
  console.log(`${what}, budget ${budget / 1024} kB`);
  for (const [page, size] of some) console.log(`${kB(size)}  ${nameOf(page)}`);
}

const over = sizes.filter(([page, size]) => size > budgetOf(page));
for (const [page, size] of over)
  console.error(`${nameOf(page)} is over its budget by ${kB(size - budgetOf(page))}`);
if (over.length > 0) process.exit(1);
