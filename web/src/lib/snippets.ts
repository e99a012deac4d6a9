import type { Code } from "@/ui/snippet";

/** The placeholder for a key that the reader must fill in. */
export const keyPlaceholder = "pk_REPLACE_ME";

/** One call of the endpoint, ready to paste. */
export function ingestSnippets(endpoint: string, key: string, record: unknown): Code[] {
  const json = JSON.stringify(record, null, 2);
  return [
    {
      label: "curl",
      code: [
        `curl -i '${endpoint}' \\`,
        `  -H 'Authorization: Bearer ${key}' \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d '${json.replaceAll("'", "'\\''")}'`,
      ].join("\n"),
    },
    {
      label: "Python",
      code: [
        "import json, urllib.request",
        "",
        `record = json.loads(r'''${json}''')`,
        "request = urllib.request.Request(",
        `    "${endpoint}",`,
        "    data=json.dumps(record).encode(),",
        `    headers={"Authorization": "Bearer ${key}", "Content-Type": "application/json"},`,
        ")",
        "with urllib.request.urlopen(request) as answer:",
        '    print(answer.status, answer.headers["Ingest-Result"])',
      ].join("\n"),
    },
    {
      label: "Node",
      code: [
        `const record = ${json};`,
        `const answer = await fetch("${endpoint}", {`,
        '  method: "POST",',
        `  headers: { Authorization: "Bearer ${key}", "Content-Type": "application/json" },`,
        "  body: JSON.stringify(record),",
        "});",
        'console.log(answer.status, answer.headers.get("Ingest-Result"), await answer.text());',
      ].join("\n"),
    },
  ];
}
