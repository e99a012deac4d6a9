import { beforeEach, describe, expect, it, vi } from "vitest";
import { draftKey, draftsUnder, dropDraftsOfOthers, findDraft } from "./drafts";
import { EditSession, type EditSpec } from "./edit-session";
import { ApiError } from "./problem";
import { hostQuestion, mayLeave, UnsavedWork } from "./unsaved";

class MemoryStorage {
  #items = new Map<string, string>();
  get length() {
    return this.#items.size;
  }
  key = (index: number) => [...this.#items.keys()][index] ?? null;
  getItem = (key: string) => this.#items.get(key) ?? null;
  setItem = (key: string, value: string) => void this.#items.set(key, value);
  removeItem = (key: string) => void this.#items.delete(key);
}

interface Seen {
  value: string;
  version: number;
}

const seen: Seen = { value: "10", version: 1 };
const key = draftKey("ada", "shop", "line/1");
const newer = new ApiError({ code: "stale" }, 412);

function open(spec: Partial<EditSpec<string, Seen>> = {}) {
  const save = vi.fn<EditSpec<string, Seen>["save"]>(async () => undefined);
  const all = { toDraft: ({ value }: Seen) => value, save, ...spec };
  return { session: new EditSession(all, seen, key), save };
}

beforeEach(() => vi.stubGlobal("sessionStorage", new MemoryStorage()));

describe("an edit session", () => {
  it("sends one request for Enter and the blur that follows, with the version that was seen", async () => {
    const { session, save } = open();
    session.type("12");
    session.follow({ value: "500", version: 2 });
    const [first, second] = [session.save(), session.save()];
    expect(second).toBe(first);
    await first;
    expect(save.mock.calls).toEqual([["12", seen]]);
  });

  it("saves mine with their version after a conflict", async () => {
    const theirs = { seen: { value: "500", version: 2 }, by: "Ben" };
    const save = vi.fn<EditSpec<string, Seen>["save"]>();
    save.mockRejectedValueOnce(newer).mockResolvedValueOnce({ value: "12", version: 3 });
    const onSaved = vi.fn();
    const { session } = open({ save, onSaved, look: async () => theirs });
    session.type("12");
    await session.save();
    expect(session.state).toMatchObject({ phase: "conflict", theirs, draft: "12" });
    await session.keepMine();
    expect(save).toHaveBeenLastCalledWith("12", theirs.seen);
    expect(onSaved).toHaveBeenCalledOnce();
    expect(session.dirty).toBe(false);
  });

  it("shows the refusal when nobody can say what stands there now", async () => {
    const { session } = open({
      save: () => Promise.reject(newer),
      look: () => Promise.reject(new Error("gone")),
    });
    session.type("12");
    await session.save();
    expect(session.state).toMatchObject({ phase: "refused", failure: newer, draft: "12" });
  });

  it("tells of a refusal that nothing on the page shows", async () => {
    const onUnseen = vi.fn();
    const { session } = open({ save: () => Promise.reject(newer), onUnseen });
    session.type("12");
    const detach = session.attach(new UnsavedWork());
    detach();
    await session.save();
    expect(onUnseen).toHaveBeenCalledWith(newer);
  });
});

describe("a draft", () => {
  it("is there again with what was seen, until it is saved or given up", async () => {
    open().session.type("12");
    const again = new EditSession(open().session.spec, { value: "500", version: 2 }, key);
    expect(again.state).toMatchObject({ draft: "12", start: "10", seen, restored: true });
    expect(again.dirty).toBe(true);
    await again.save();
    expect(findDraft(key)).toBeUndefined();
  });

  it("is dropped when it is given up, or is what it began as", () => {
    const { session } = open();
    session.type("12");
    session.type("10");
    expect(findDraft(key)).toBeUndefined();
    session.type("12");
    session.giveUp();
    expect(findDraft(key)).toBeUndefined();
  });

  it("is given up when one leaves, and the field goes on from what stood there", async () => {
    const { session, save } = open();
    const work = new UnsavedWork();
    session.attach(work);
    session.type("12");
    expect(await mayLeave(work)).toBe(true);
    expect(session.state).toMatchObject({ phase: "editing", draft: "10" });
    expect(findDraft(key)).toBeUndefined();
    session.type("13");
    await session.save();
    expect(save).toHaveBeenCalledWith("13", seen);
  });

  it("of another person is dropped", () => {
    open().session.type("12");
    dropDraftsOfOthers("ada");
    expect(draftsUnder(draftKey("ada", "shop", "line/"))).toEqual(["1"]);
    dropDraftsOfOthers("ben");
    expect(findDraft(key)).toBeUndefined();
  });

  it("without a key is kept nowhere", () => {
    const session = new EditSession(open().session.spec, seen);
    session.type("a secret");
    expect(sessionStorage.length).toBe(0);
  });
});

describe("leaving", () => {
  it("waits for a save under way and asks only about what is left", async () => {
    const ask = vi.fn(async () => false);
    const forget = hostQuestion(ask);
    const work = new UnsavedWork();
    const good = open().session;
    good.attach(work);
    good.type("12");
    void good.save();
    expect(await mayLeave(work)).toBe(true);
    expect(ask).not.toHaveBeenCalled();
    good.type("13");
    expect(await mayLeave(work)).toBe(false);
    ask.mockResolvedValue(true);
    expect(await mayLeave(work)).toBe(true);
    expect(work.any).toBe(false);
    forget();
  });
});
