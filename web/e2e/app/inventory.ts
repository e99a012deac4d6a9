import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type APIRequestContext, expect } from "@playwright/test";

/** What the stand-in begins with. */
export interface Stock {
  suppliers: { name: string; currency?: string }[];
  variants: { sku: string; name?: string }[];
  locations?: { name: string }[];
}

/** The stand-in for Katana, and what people do there. */
export class Inventory {
  readonly address: string;
  readonly token: string;
  private readonly process: ChildProcess;

  private constructor(process: ChildProcess, address: string, token: string) {
    this.process = process;
    this.address = address;
    this.token = token;
  }

  /** Starts one on a port of its own. */
  static async start(stock: Stock): Promise<Inventory> {
    const file = join(mkdtempSync(join(tmpdir(), "quayside-inventory-")), "stock.json");
    writeFileSync(file, JSON.stringify(stock));
    const child = spawn(
      "../bin/quayside",
      ["dev", "inventory", "--json", "--addr", "127.0.0.1:0", "--limit", "0", "--stock", file],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let text = "";
    for await (const line of createInterface({ input: child.stdout })) {
      text += line;
      try {
        const { address, token } = JSON.parse(text);
        child.stdout.resume();
        return new Inventory(child, address, token);
      } catch {
        // The answer goes on in the next line.
      }
    }
    throw new Error(`the stand-in did not start: ${text}`);
  }

  /** Somebody there does something: see docs/inventory.md. */
  async control(request: APIRequestContext, what: string, data: unknown): Promise<void> {
    const answer = await request.post(`${this.address}/control/${what}`, {
      headers: { Authorization: `Bearer ${this.token}` },
      data,
    });
    expect(answer.ok(), await answer.text()).toBe(true);
  }

  /** The id of the only location. */
  async location(request: APIRequestContext): Promise<string> {
    const answer = await request.get(`${this.address}/v1/locations`, {
      headers: { Authorization: `Bearer ${this.token}` },
    });
    const { data } = await answer.json();
    return String(data[0].id);
  }

  stop(): void {
    this.process.kill();
  }
}
