import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "@playwright/test";

/** Runs SQL in the database of this worker, for what no call could do in time. */
export function inDatabase(sql: string) {
  const dir = readFileSync(`/var/tmp/quayside-e2e-at-${process.env.E2E_PORT ?? 18099}`, "utf8").trim();
  const [secret, port] = ["password", "port"].map((file) => readFileSync(`${dir}/${file}`, "utf8").trim());
  execFileSync("psql", [
    "-qX",
    "-v",
    "ON_ERROR_STOP=1",
    "-c",
    sql,
    `postgres://postgres:${secret}@127.0.0.1:${port}/quayside_${test.info().parallelIndex}`,
  ]);
}
