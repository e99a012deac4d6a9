import { afterEach, describe, expect, it, vi } from "vitest";
import { createKeyMutation, listKeysOptions } from "../api/@tanstack/react-query.gen";
import { client } from "../api/client.gen";
import { ApiError, createQueryClient } from "./api";
import { unreachable } from "./problem";

// Node's Request takes no relative address; a browser's does.
client.setConfig({ baseUrl: "http://quayside.test" });

const workspace = "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e";

function answer(body: unknown, init: ResponseInit = {}, type = "application/json") {
  const fetch = vi.fn<(request: Request) => Promise<Response>>(async () => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return new Response(text, { ...init, headers: { "content-type": type, ...init.headers } });
  });
  client.setConfig({ fetch: fetch as unknown as typeof globalThis.fetch });
  return fetch;
}

async function failure(): Promise<ApiError> {
  const query = createQueryClient().fetchQuery({ ...listKeysOptions({ path: { workspace } }), retry: false });
  return query.then(
    () => expect.fail("should have failed"),
    (error: unknown) => error as ApiError,
  );
}

afterEach(() => vi.restoreAllMocks());

describe("generated client", () => {
  it("returns typed data and sends the cookie to the same origin only", async () => {
    const fetch = answer({ items: [], next_cursor: "c" });
    const page = await createQueryClient().fetchQuery(
      listKeysOptions({ path: { workspace }, query: { limit: 5 } }),
    );
    expect(page.next_cursor).toBe("c");
    const request = fetch.mock.calls[0]?.[0];
    expect(request?.url).toBe(`http://quayside.test/api/app/workspaces/${workspace}/keys?limit=5`);
    expect(request?.credentials).toBe("same-origin");
  });

  it("turns problem+json into an ApiError with the request id and the fields", async () => {
    answer(
      {
        title: "Unprocessable Entity",
        status: 422,
        detail: "a key needs a label",
        code: "label",
        errors: [{ pointer: "#/label", code: "label", detail: "a key needs a label" }],
      },
      { status: 422, headers: { "x-request-id": "req-1" } },
      "application/problem+json",
    );
    const mutation = createKeyMutation();
    const call = mutation.mutationFn?.(
      { path: { workspace }, body: { label: " ", scope: "orders" } },
      {} as never,
    );
    const error = await call?.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 422,
      message: "A key needs a label.",
      code: "label",
      requestId: "req-1",
    });
    expect((error as unknown as ApiError).fieldError("label")).toBe("A key needs a label.");
  });

  it("makes sense of a proxy's HTML", async () => {
    answer("<h1>Bad gateway</h1>", { status: 502 }, "text/html");
    expect(await failure()).toMatchObject({ status: 502, title: "The server failed", errors: [] });
  });

  it("makes sense of a server that cannot be reached", async () => {
    client.setConfig({ fetch: () => Promise.reject(new TypeError("Failed to fetch")) });
    const error = await failure();
    expect(error).toMatchObject({ status: 0, code: "unreachable" });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it("makes sense of an answer that breaks off", async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new TypeError("network error")),
    });
    client.setConfig({ fetch: () => Promise.resolve(new Response(broken)) });
    expect(await failure()).toMatchObject({ status: 0, code: "unreachable" });
  });

  it("leaves a call that nobody waits for any more as it is", async () => {
    const cancelled = new DOMException("aborted", "AbortError");
    client.setConfig({ fetch: () => Promise.reject(cancelled) });
    expect(await failure()).toBe(cancelled);
  });
});

describe("retries", () => {
  const retry = createQueryClient().getDefaultOptions().queries?.retry as (
    n: number,
    error: unknown,
  ) => boolean;

  it("ask again what got no answer, and not what the page itself got wrong", () => {
    expect(retry(0, unreachable(new TypeError("Failed to fetch")))).toBe(true);
    expect(retry(0, new ApiError({}, 503))).toBe(true);
    expect(retry(0, new ApiError({}, 422))).toBe(false);
    expect(retry(0, new TypeError("rows is undefined"))).toBe(false);
  });
});
