import type { Code } from "@/ui/snippet";

/** The placeholder for a token that the reader must fill in. */
export const tokenPlaceholder = "qst_YOUR_TOKEN";

/** The MCP address, derived from the address of a table's records. */
export function mcpAddress(endpoint: string): string {
  return endpoint.replace(/\/api\/ingest\/[^/]*$/, "/mcp");
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** Settings for common assistants, ready to paste. */
export function clientSnippets(address: string, token: string): Code[] {
  const headers = { Authorization: `Bearer ${token}` };
  return [
    {
      label: "Claude Code",
      note: "Run it in a terminal.",
      code: `claude mcp add --transport http quayside ${address} --header "Authorization: Bearer ${token}"`,
    },
    {
      label: "Claude Desktop",
      note: "In claude_desktop_config.json (Settings → Developer). It starts programs only, so mcp-remote makes the calls; that needs Node.",
      code: json({
        mcpServers: {
          quayside: {
            command: "npx",
            // No space in an argument, because Windows would split it.
            args: ["-y", "mcp-remote", address, ...plain(address), "--header", `Authorization:\${QUAYSIDE}`],
            env: { QUAYSIDE: headers.Authorization },
          },
        },
      }),
    },
    {
      label: "Cursor",
      note: "In .cursor/mcp.json of a project, or ~/.cursor/mcp.json for all.",
      code: json({ mcpServers: { quayside: { url: address, headers } } }),
    },
    {
      label: "VS Code",
      note: "In .vscode/mcp.json. VS Code asks for the token once and keeps it out of the file.",
      code: json({
        inputs: [
          { type: "promptString", id: "quayside-token", description: "Quayside token", password: true },
        ],
        servers: {
          quayside: {
            type: "http",
            url: address,
            headers: { Authorization: `Bearer \${input:quayside-token}` },
          },
        },
      }),
    },
    {
      label: "Other",
      note: "Most other clients take this, for example as .mcp.json.",
      code: json({ mcpServers: { quayside: { type: "http", url: address, headers } } }),
    },
    {
      label: "curl",
      note: "Lists the tools: a quick way to see that a token works.",
      code: [
        `curl -i '${address}' \\`,
        `  -H 'Authorization: Bearer ${token}' \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -H 'Accept: application/json, text/event-stream' \\`,
        `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
      ].join("\n"),
    },
  ];
}

/** mcp-remote refuses an address without TLS unless told otherwise. */
function plain(address: string): string[] {
  return address.startsWith("http:") ? ["--allow-http"] : [];
}
