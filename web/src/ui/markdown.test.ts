import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { plainText, safeAddress } from "@/lib/markdown";
import { Markdown } from "./markdown";

/** The rendered HTML, without the classes. */
function shown(text: string): string {
  return renderToStaticMarkup(createElement(Markdown, { text }))
    .replace(/ class="[^"]*"/g, "")
    .replace(/^<div>|<\/div>$/g, "");
}

/** The names of all elements; escaped text contains none. */
function tags(text: string): string[] {
  return [...new Set([...shown(text).matchAll(/<([a-z0-9]+)/g)].map(([, tag]) => tag ?? ""))].sort();
}

describe("Markdown", () => {
  it.each([
    ["**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>"],
    ["# A\n\n### B", "<h3>A</h3><h4>B</h4>"],
    ["a &amp; b &lt;i&gt; &#8364; &bogus;", "<p>a &amp; b &lt;i&gt; € &amp;bogus;</p>"],
    ["\\*no\\*", "<p>*no*</p>"],
    ["> q", "<blockquote><p>q</p></blockquote>"],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["- a\n  - b", "<ul><li>a<ul><li>b</li></ul></li></ul>"],
    ["a  \nb", "<p>a<br/>b</p>"],
    ["---", "<hr/>"],
    ["```js\n<b>\n```", "<pre><code>&lt;b&gt;</code></pre>"],
  ])("%j", (text, want) => {
    expect(shown(text)).toBe(want);
  });
  it("has tables and lists of tasks", () => {
    expect(tags("|a|b|\n|-|-:|\n|1|2|")).toEqual(["section", "table", "tbody", "td", "th", "thead", "tr"]);
    expect(shown("- [x] a\n- [ ] b")).toMatch(/done: .*a.*to do: .*b/);
  });
  it("opens links apart, without a way back", () => {
    expect(shown("[a](https://example.com/x?y=1&z=2)")).toContain(
      '<a href="https://example.com/x?y=1&amp;z=2" target="_blank" rel="noopener noreferrer">a',
    );
    expect(tags("<mail@example.com> https://example.com ![pic](http://example.com/a.png)")).toEqual([
      "a",
      "p",
      "span",
    ]);
  });
});

describe("hostile text", () => {
  it.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java&#10;script:alert(1))",
    "[a](javascript&#58;alert(1))",
    "[a](<java\tscript:alert(1)>)",
    "[a](\u0001javascript:alert(1))",
    "[a](vbscript:x)",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](file:///etc/passwd)",
    "[a](//example.com/x)",
    "[a](/sign-out)",
    "![a](javascript:alert(1))",
    "![a](data:image/svg+xml,<svg/onload=alert(1)>)",
    "[a]\n\n[a]: javascript:alert(1)",
    "<javascript:alert(1)>",
  ])("%j is no link and no picture", (text) => {
    expect(tags(text)).toEqual(["p"]);
  });
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a <b onclick=alert(1)>b</b> <iframe src=//x></iframe>",
    "<div><div><a href='javascript:x'>y</a></div>\n\n</div>",
    "<style>*{display:none}</style>",
    "<!-- --><svg/onload=alert(1)>",
    "<p>\n<math><mtext></p><img src onerror=x>",
  ])("%j is shown as text", (text) => {
    expect(tags(text)).toEqual(["p"]);
    expect(shown(text)).toContain("&lt;");
  });
  it("does not leave an attribute", () => {
    expect(shown('[a](https://x.example/"onmouseover="alert(1)")')).not.toMatch(/ onmouseover="/);
    expect(shown('[a](https://x.example/ "t\\" onclick=alert(1)")')).not.toContain("onclick");
  });

  const levels = (count: number, line: (level: number) => string) =>
    Array.from({ length: count }, (_, level) => line(level)).join("\n");
  it.each([
    ["a megabyte of >", ">".repeat(1_000_000)],
    ["as many as are read", ">".repeat(190_000)],
    ["quotes line by line", "> ".repeat(400) + "a\n".repeat(50_000)],
    ["deep lists", levels(430, (level) => `${"  ".repeat(level)}- x`)],
    ["lists in a line", "- ".repeat(90_000)],
    ["lists in quotes", "> - ".repeat(45_000)],
    ["stars", "*".repeat(190_000)],
    ["stars by paragraphs", `${"*".repeat(490)}a\n\n`.repeat(380)],
    ["tildes", "~a~~b ".repeat(30_000)],
    ["tildes by paragraphs", `${"~a~~b ".repeat(160)}\n\n`.repeat(190)],
    ["brackets", "[".repeat(190_000)],
    ["links in links", "[a](".repeat(45_000)],
    ["emphasis in emphasis", `${"*a **b ".repeat(80)}${"** *".repeat(80)}\n\n`.repeat(150)],
    ["a wide table", `${"|a".repeat(5_000)}\n${"|-".repeat(5_000)}\n${"|a\n".repeat(5_000)}`],
    ["many tables", `${"|a".repeat(60)}\n${"|-".repeat(60)}\n${"|a\n".repeat(80)}\n`.repeat(300)],
    ["open tags", "<a ".repeat(60_000)],
    ["backticks", levels(600, (level) => "`".repeat(level))],
  ])("stays fast: %s", (_, text) => {
    // Without limits some of these take minutes. Measured in processor time, so that other load counts little.
    const started = process.cpuUsage();
    const html = shown(text);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(8_000);
    expect(html.match(/<blockquote|<ul|<ol/g)?.length ?? 0).toBeLessThan(100);
  });
  it("loses nothing where it stops reading", () => {
    const deep = `${">".repeat(40)} the end`;
    expect(shown(deep)).toContain("the end");
    expect(shown(`${"x".repeat(300_000)} the end`)).toContain("the end");
    expect(shown(`${"*".repeat(3_000)} the end\n\n**b**`)).toMatch(/the end.*<strong>b<.strong>/);
  });
});

it("safeAddress", () => {
  expect(safeAddress("https://example.com")).toBe("https://example.com/");
  expect(safeAddress("mailto:a@example.com")).toBe("mailto:a@example.com");
  expect(safeAddress("\njavascript:alert(1)")).toBeUndefined();
  expect(safeAddress("")).toBeUndefined();
});

it("plainText", () => {
  expect(plainText("&lt;b&gt; &#x41;&#65; &#0; &#9999999; &AMP;")).toBe("<b> AA &#0; &#9999999; &");
});
