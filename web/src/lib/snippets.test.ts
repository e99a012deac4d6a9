import { execFileSync } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ingestSnippets } from "./snippets";

// The snippets are really run: a quote in a name must survive in every language.
const record = { external_id: "S1", name: 'O\'Brien "& sons" \\ Köln', total: 12.5 };
let seen: { body: string; headers: IncomingMessage["headers"] }[] = [];

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => {
    body += part;
  });
  request.on("end", () => {
    seen.push({ body, headers: request.headers });
    response.setHeader("Ingest-Result", "created");
    response.end("{}");
  });
});

beforeAll(() => new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready)));
afterAll(() => void server.close());

const runners: Record<string, [command: string, flag: string]> = {
  curl: ["bash", "-c"],
  Python: ["python3", "-c"],
  Node: ["node", "--input-type=module"],
};

function installed(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("snippets", () => {
  for (const label of Object.keys(runners)) {
    it.skipIf(!installed(label === "curl" ? "curl" : (runners[label]?.[0] ?? "")))(
      `${label} sends the record as it is`,
      async () => {
        const { port } = server.address() as AddressInfo;
        const code = ingestSnippets(`http://127.0.0.1:${port}/x`, "pk_test", record).find(
          (one) => one.label === label,
        )?.code;
        const [command, flag] = runners[label] ?? ["", ""];
        seen = [];
        const { execFile } = await import("node:child_process");
        const args = label === "Node" ? [flag, "-e", code ?? ""] : [flag, code ?? ""];
        await new Promise<void>((done, fail) =>
          execFile(command, args, (error) => (error ? fail(error) : done())),
        );
        expect(JSON.parse(seen[0]?.body ?? "")).toEqual(record);
        expect(seen[0]?.headers.authorization).toBe("Bearer pk_test");
        expect(seen[0]?.headers["content-type"]).toBe("application/json");
      },
    );
  }
});
