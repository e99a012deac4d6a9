import { execFile, execFileSync } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientSnippets, mcpAddress } from "./clients";

const address = "https://quay.example/mcp";
const secret = "qst_0123456789abcdef";
const bearer = `Bearer ${secret}`;
const code = (label: string, at = address) =>
  clientSnippets(at, secret).find((one) => one.label === label)?.code ?? "";

it("stands beside the address of the records", () => {
  expect(mcpAddress("https://quay.example/api/ingest/orders")).toBe(address);
  expect(mcpAddress("https://x.example/quay/api/ingest/purchase_order_lines")).toBe(
    "https://x.example/quay/mcp",
  );
});

describe("settings", () => {
  it("are one command for Claude Code", () => {
    expect(code("Claude Code")).toBe(
      `claude mcp add --transport http quayside ${address} --header "Authorization: ${bearer}"`,
    );
  });

  it("go through mcp-remote for Claude Desktop, whose file knows programs only", () => {
    const { quayside } = JSON.parse(code("Claude Desktop")).mcpServers;
    expect(quayside.args).toEqual(["-y", "mcp-remote", address, "--header", `Authorization:\${QUAYSIDE}`]);
    expect(quayside.env).toEqual({ QUAYSIDE: bearer });
    expect(code("Claude Desktop", "http://localhost:1/mcp")).toContain("--allow-http");
  });

  it.each(["Cursor", "Other"])("name the address and the header for %s", (label) => {
    const { quayside } = JSON.parse(code(label)).mcpServers;
    expect(quayside).toMatchObject({ url: address, headers: { Authorization: bearer } });
    expect(quayside.type).toBe(label === "Other" ? "http" : undefined);
  });

  it("keep the secret out of the file for VS Code", () => {
    const { inputs, servers } = JSON.parse(code("VS Code"));
    expect(code("VS Code")).not.toContain(secret);
    expect(inputs[0]).toMatchObject({ type: "promptString", password: true });
    expect(servers.quayside).toMatchObject({ type: "http", url: address });
    expect(servers.quayside.headers.Authorization).toBe(`Bearer \${input:${inputs[0].id}}`);
  });
});

describe("curl", () => {
  let seen: { body: string; headers: IncomingMessage["headers"] } | undefined;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      seen = { body, headers: request.headers };
      response.end("{}");
    });
  });
  beforeAll(() => new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready)));
  afterAll(() => void server.close());

  const installed = () => {
    try {
      execFileSync("curl", ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };

  it.skipIf(!installed())("asks for the tools when it is run", async () => {
    const { port } = server.address() as AddressInfo;
    const command = code("curl", `http://127.0.0.1:${port}/mcp`);
    await new Promise<void>((done, fail) =>
      execFile("bash", ["-c", command], (error) => (error ? fail(error) : done())),
    );
    expect(JSON.parse(seen?.body ?? "")).toEqual({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(seen?.headers.authorization).toBe(bearer);
    expect(seen?.headers.accept).toBe("application/json, text/event-stream");
  });
});
