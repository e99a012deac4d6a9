import { type APIRequestContext, type BrowserContext, expect, type Page } from "@playwright/test";

export const password = "harbour-goods-demo";

/** The demo's people, the admin of an empty company, and the admin of one that defines columns of its own. */
export const people = {
  admin: "ada@demo.example",
  approver: "ben@demo.example",
  buyer: "cleo@demo.example",
  viewer: "dana@demo.example",
  empty: "eve@demo.example",
  own: "olga@demo.example",
} as const;

export type Who = keyof typeof people;

/** Signs in through the API; returns the workspace to work in. */
export async function enter(context: BrowserContext, who: Who): Promise<string> {
  const answer = await context.request.post("/api/app/session", {
    data: { email: people[who], password },
  });
  expect(answer.status()).toBe(200);
  const person = await answer.json();
  return person.tenants[0].workspaces[0].id;
}

/** Signs in through the sign-in page. */
export async function signIn(page: Page, who: Who): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(people[who]);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/w\//);
}

/** Sends a record as an external system does: with a key and without a cookie. */
export async function send(request: APIRequestContext, slug: string, key: string, record: unknown) {
  return request.post(`/api/ingest/${slug}`, {
    headers: { Authorization: `Bearer ${key}`, Cookie: "" },
    data: record,
  });
}

/** Creates a key; returns its secret. */
export async function makeKey(
  context: BrowserContext,
  workspace: string,
  scope: string,
  label: string,
): Promise<string> {
  const answer = await context.request.post(`/api/app/workspaces/${workspace}/keys`, {
    data: { label, scope },
  });
  expect(answer.status()).toBe(201);
  return (await answer.json()).secret;
}
