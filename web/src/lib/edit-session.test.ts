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

  it("does not send a refused draft again when the field is left, but what is typed then", async () => {
    const save = vi.fn<EditSpec<string, Seen>["save"]>().mockRejectedValue(new ApiError({}, 422));
    const { session } = open({ save });
    session.type("x");
    expect(session.savesOnLeave).toBe(true);
    const sending = session.save();
    expect(session.savesOnLeave, "while it is sent").toBe(false);
    await sending;
    expect(session.savesOnLeave, "refused").toBe(false);
    session.type("12");
    expect(session.savesOnLeave, "typed since").toBe(true);
    expect(save).toHaveBeenCalledOnce();
  });

  it("leaves a conflict, and a draft from before a reload, to the person when the field is left", async () => {
    const theirs = { seen: { value: "500", version: 2 } };
    const { session } = open({ save: () => Promise.reject(newer), look: async () => theirs });
    session.type("12");
    await session.save();
    expect(session.savesOnLeave, "conflict").toBe(false);
    session.takeTheirs();
    session.type("13");
    expect(session.savesOnLeave).toBe(true);
    const restored = open().session;
    expect(restored.state).toMatchObject({ draft: "13", restored: true });
    expect(restored.savesOnLeave, "restored").toBe(false);
    restored.type("14");
    expect(restored.savesOnLeave).toBe(true);
  });

  it("is over only when what was typed during a save is saved too, with the version of the first", async () => {
    const onSaved = vi.fn();
    const save = vi.fn<EditSpec<string, Seen>["save"]>(async (value, { version }) => ({
      value,
      version: version + 1,
    }));
    const { session } = open({ save, onSaved });
    session.type("12");
    const first = session.save();
    session.type("123");
    await first;
    expect(onSaved).not.toHaveBeenCalled();
    expect(session.state.draft).toBe("123");
    expect(findDraft(key)).toMatchObject({ draft: "123", start: "12", seen: { version: 2 } });
    await session.save();
    expect(save).toHaveBeenLastCalledWith("123", { value: "12", version: 2 });
    expect(onSaved).toHaveBeenCalledOnce();
    expect(session.dirty).toBe(false);
  });

  it("sends a refused draft with the version that was seen when the person tries again", async () => {
    const save = vi.fn<EditSpec<string, Seen>["save"]>();
    save.mockRejectedValueOnce(new ApiError({}, 503)).mockResolvedValueOnce({ value: "12", version: 2 });
    const onSaved = vi.fn();
    const { session } = open({ save, onSaved });
    session.type("12");
    await session.save();
    expect(onSaved).not.toHaveBeenCalled();
    await session.save();
    expect(save.mock.calls).toEqual([
      ["12", seen],
      ["12", seen],
    ]);
    expect(session.state).toMatchObject({ phase: "editing", failure: undefined });
    expect(onSaved).toHaveBeenCalledOnce();
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
