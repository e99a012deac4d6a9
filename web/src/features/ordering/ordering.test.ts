import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Line, OrderableArticle } from "@/api/types.gen";
import { ApiError } from "@/lib/problem";
import { type Calls, isQuestion, OrderDraft } from "./order-draft";
import { matchSheet, readSheet } from "./paste";
import { isCounted, wantedOf } from "./wanted";

const article = (id: string, more: object = {}): OrderableArticle => ({
  product_id: id,
  sku: id.toUpperCase(),
  name: id,
  on_its_way: [],
  unit_price: "2.5",
  currency: "EUR",
  ...more,
});

const suggests = (suggested: number, more: object = {}) => ({
  recommendation: { action: "order", recommendation_key: "rq1:1:1", suggested_quantity: suggested, ...more },
});

const refusal = (status: number, code = "") => new ApiError({ code }, status);

/** A service that stores lines, and fails as it is told. */
class Service implements Calls {
  log: string[] = [];
  stored = new Map<string, Line>();
  fails: (ApiError | undefined)[] = [];
  /** The service does what it is asked, and its answer is lost. */
  lost = false;
  made: string | undefined;
  lines = async () => [...this.stored.values()];
  line = async (id: string) => this.#found(id);
  alone = (run: (made: string | undefined) => Promise<void>) => run(this.made);
  announce = async () => {};
  #busy = 0;
  async #call<T>(what: string, act: () => T): Promise<T> {
    expect(this.#busy++, "one request at a time").toBe(0);
    this.log.push(what);
    await Promise.resolve();
    this.#busy--;
    const failure = this.fails.shift();
    if (failure && !this.lost) throw failure;
    const done = act();
    if (failure) throw failure;
    return done;
  }
  #found(id: string): Line {
    const line = this.stored.get(id);
    if (!line) throw refusal(404);
    return line;
  }
  draft: Calls["draft"] = (fields, confirmed) =>
    this.#call(
      `draft ${fields.product_id} ${fields.quantity_ordered} in ${fields.order_no}${confirmed ? " yes" : ""}`,
      () => {
        const line = {
          ...fields,
          id: `l${this.stored.size + 1}`,
          version: 1,
          status: "draft",
          order_no: fields.order_no ?? "PO-1",
        } as unknown as Line;
        this.stored.set(line.id, line);
        return line;
      },
    );
  edit: Calls["edit"] = (line, fields) =>
    this.#call(`edit ${line.product_id} ${line.version} ${JSON.stringify(fields)}`, () => {
      const now = this.#found(line.id);
      if (now.version !== line.version) throw refusal(412);
      const next = { ...now, ...fields, version: now.version + 1 } as Line;
      this.stored.set(line.id, next);
      return next;
    });
  remove: Calls["remove"] = (line) =>
    this.#call(`remove ${line.product_id}`, () => this.stored.set(line.id, { ...line, status: "cancelled" }));
  article = async (product: string) =>
    article(product, {
      on_its_way: [...this.stored.values()]
        .filter((line) => line.product_id === product)
        .map(({ id, order_no, status, quantity_ordered }) => ({
          line_id: id,
          order_no,
          status,
          quantity: quantity_ordered,
        })),
    });
}

function begin(...articles: OrderableArticle[]) {
  const service = new Service();
  const draft = new OrderDraft({
    supplier: "s",
    currency: "EUR",
    locale: "en",
    calls: service,
    expected: "",
  });
  draft.know(articles.length > 0 ? articles : [article("a"), article("b")]);
  return { service, draft };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("saving", () => {
  test("the first quantity makes the order, the next joins it, one after the other", async () => {
    const { service, draft } = begin();
    draft.set("a", { quantity: "3" });
    draft.set("b", { quantity: "4" });
    await draft.flush();
    expect(service.log).toEqual(["draft a 3 in undefined", "draft b 4 in PO-1"]);
    expect(draft.state.order).toBe("PO-1");
    expect(draft.dirty).toBe(false);
  });

  test("typing is saved when it rests, and what is typed meanwhile is not lost", async () => {
    const { service, draft } = begin();
    draft.type("a", { quantity: "3" });
    expect(service.log).toEqual([]);
    vi.advanceTimersByTime(1000);
    await Promise.resolve();
    await Promise.resolve();
    draft.type("a", { quantity: "35" });
    await draft.settled;
    expect(draft.state.work.get("a")?.quantity).toBe("35");
    await draft.flush();
    expect(service.log).toEqual(["draft a 3 in undefined", 'edit a 1 {"quantity_ordered":"35"}']);
  });

  test("a cleared quantity removes its line, and zero too", async () => {
    const { service, draft } = begin();
    for (const quantity of ["3", "", "5", "0"]) {
      draft.set("a", { quantity });
      await draft.flush();
    }
    expect(service.log.map((entry) => entry.slice(0, 8))).toEqual([
      "draft a ",
      "remove a",
      "draft a ",
      "remove a",
    ]);
    expect(draft.state.lines.size).toBe(0);
  });

  test("a line whose answer was lost is found, not drafted again", async () => {
    const { service, draft } = begin();
    service.fails = [refusal(0)];
    service.lost = true;
    draft.set("a", { quantity: "3" });
    await draft.flush();
    expect(draft.state.work.get("a")?.quantity, "nothing typed is lost").toBe("3");
    expect(draft.state.order).toBeUndefined();
    await vi.advanceTimersByTimeAsync(6000); // it is tried again by itself
    expect(service.log).toEqual(["draft a 3 in undefined"]);
    expect(draft.state.order).toBe("PO-1");
    expect(draft.dirty).toBe(false);
  });

  test("a change whose answer was lost is not taken for somebody else's", async () => {
    const { service, draft } = begin();
    draft.set("a", { quantity: "3" });
    await draft.flush();
    service.fails = [refusal(503)];
    service.lost = true;
    draft.set("a", { quantity: "4" });
    await draft.flush();
    draft.insist("a");
    await draft.flush();
    expect(draft.state.work.get("a")?.failure).toBeUndefined();
    expect(draft.state.lines.get("a")?.version).toBe(2);
  });

  test("what somebody else changed is told, and overwritten only on purpose", async () => {
    const { service, draft } = begin();
    draft.set("a", { quantity: "3" });
    await draft.flush();
    service.stored.set("l1", { ...(service.stored.get("l1") as Line), quantity_ordered: "9", version: 7 });
    draft.set("a", { quantity: "4" });
    await draft.flush();
    expect(draft.state.work.get("a")?.failure?.status).toBe(412);
    expect(draft.state.lines.get("a")?.quantity_ordered).toBe("9");
    draft.insist("a");
    await draft.flush();
    expect(service.stored.get("l1")?.quantity_ordered).toBe("4");
  });

  test("what is on its way is a question, and the answer is sent", async () => {
    const { service, draft } = begin();
    service.fails = [refusal(409, "already_on_its_way")];
    draft.set("a", { quantity: "3" });
    draft.set("b", { quantity: "1" });
    await draft.flush();
    expect(isQuestion(draft.state.work.get("a")?.failure)).toBe(true);
    expect(draft.state.lines.has("b"), "other rows go on").toBe(true);
    draft.insist("a");
    await draft.flush();
    expect(service.log.at(-1)).toBe("draft a 3 in PO-1 yes");
  });

  test("what is refused is sent again only when something else is typed, or on purpose", async () => {
    const { service, draft } = begin();
    service.fails = [refusal(422)];
    draft.set("a", { quantity: "3" });
    await draft.flush();
    for (let left = 0; left < 3; left++) {
      draft.leave("a");
      await draft.flush();
    }
    draft.set("b", { quantity: "1" }); // saves the other rows
    await draft.flush();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(service.log).toEqual(["draft a 3 in undefined", "draft b 1 in undefined"]);
    expect(draft.state.work.get("a")).toMatchObject({ quantity: "3", failure: { status: 422 } });
    draft.set("a", { quantity: "2" });
    await draft.flush();
    expect(service.log.at(-1)).toBe("draft a 2 in PO-1");
    expect(draft.dirty).toBe(false);
  });

  test("a new day for the order does not send a refused quantity again", async () => {
    const { service, draft } = begin();
    draft.set("a", { quantity: "3" });
    await draft.flush();
    service.fails = [refusal(422)];
    draft.set("a", { quantity: "4" });
    await draft.flush();
    draft.expect("2027-02-01");
    await draft.flush();
    expect(service.log).toEqual(["draft a 3 in undefined", 'edit a 1 {"quantity_ordered":"4"}']);
    expect(draft.state.work.get("a")?.failure?.status).toBe(422);
  });

  test("a refusal is about what was sent, not about what was typed meanwhile", async () => {
    const { service, draft } = begin();
    service.fails = [refusal(422)];
    draft.set("a", { quantity: "3" });
    await Promise.resolve(); // it is sent
    draft.set("a", { quantity: "4" });
    await draft.flush();
    expect(service.log).toEqual(["draft a 3 in undefined", "draft a 4 in undefined"]);
    expect(draft.dirty).toBe(false);
  });

  test.each([0, 429, 500, 503])("what may pass is tried again by itself: %d", async (status) => {
    const { service, draft } = begin();
    service.fails = [refusal(status)];
    draft.set("a", { quantity: "3" });
    await draft.flush();
    await vi.advanceTimersByTimeAsync(6000);
    expect(service.log).toEqual(["draft a 3 in undefined", "draft a 3 in undefined"]);
    expect(draft.dirty).toBe(false);
  });

  test("a tab goes on with the order that another one has made", async () => {
    const { service, draft } = begin();
    service.made = "PO-7";
    draft.set("a", { quantity: "3" });
    await draft.flush();
    expect(service.log).toEqual(["draft a 3 in PO-7"]);
  });

  test("an unclear number is not sent, and stays", async () => {
    const { service, draft } = begin();
    draft.set("a", { quantity: "1,5" });
    await draft.flush();
    expect(service.log).toEqual([]);
    expect(draft.unsaved).toBe(1);
  });

  test("the expected day goes to the lines that are there", async () => {
    const { service, draft } = begin();
    draft.set("a", { quantity: "3" });
    await draft.flush();
    draft.expect("2027-02-01");
    await draft.flush();
    expect(service.stored.get("l1")?.expected_arrival_date).toBe("2027-02-01");
  });
});

describe("rounding", () => {
  test("a quantity is rounded when it is left, and goes back by one press", async () => {
    const { service, draft } = begin(article("a", { multiple: "10", minimum: "20" }));
    draft.set("a", { quantity: "25" });
    await draft.flush();
    expect(draft.state.lines.get("a")?.quantity_ordered).toBe("30");
    expect(draft.state.work.get("a")?.from).toBe("25");
    draft.unround("a", "25");
    await draft.flush();
    expect(service.stored.get("l1")?.quantity_ordered).toBe("25");
    draft.set("a", { quantity: "3" });
    await draft.flush();
    expect(service.stored.get("l1")?.quantity_ordered).toBe("20");
  });

  test("numbers are read in the workspace's way", () => {
    const wanted = wantedOf(article("a"), { quantity: "1.500", price: "2,5" }, undefined, "de");
    expect(wanted).toEqual({ quantity: "1500", price: "2.5" });
  });

  test("what the suggestion has counted needs no question", () => {
    const ordered = { on_its_way: [{ sku: "A", status: "ordered", quantity: "40" }] };
    const drafted = { on_its_way: [{ sku: "A", status: "draft", quantity: "40" }] };
    expect(isCounted(article("a", { ...ordered, ...suggests(60) }), {}, "60")).toBe(true);
    expect(isCounted(article("a", { ...ordered, ...suggests(60) }), {}, "61")).toBe(false);
    expect(isCounted(article("a", { ...drafted, ...suggests(60) }), {}, "60")).toBe(false);
    expect(isCounted(article("a", { ...ordered, ...suggests(60, { action: "none" }) }), {}, "60")).toBe(
      false,
    );
  });
});

describe("a pasted sheet", () => {
  const articles = [
    article("tea", { supplier_sku: "HT/7" }),
    article("cup", { supplier_sku: "X" }),
    article("pot", { supplier_sku: "x" }),
  ];

  test("fills by SKU or the supplier's SKU, and lists all the rest", () => {
    const rows = readSheet(
      "SKU\tQuantity\r\nTEA\t1.500\t2,50\r\nht/7\t3\r\n\r\nX\t1\r\nNONE\t2\r\ncup\t1,500\r\nCUP\t4\r\n",
    );
    const { taken, left } = matchSheet(rows ?? [], articles, "de");
    expect(taken.map(({ article: { sku }, row }) => [sku, row.quantity, row.price])).toEqual([
      ["TEA", "1.500", "2,50"],
      ["CUP", "4", undefined],
    ]);
    expect(left.map(({ row }) => row)).toEqual(["SKU, Quantity", "ht/7, 3", "X, 1", "NONE, 2", "cup, 1,500"]);
    expect(left.map(({ why }) => why)[4]).toMatch(/did you mean 1,5 or 1500/);
  });

  test("is told from a text for one cell", () => {
    expect(readSheet("12")).toBeUndefined();
    expect(readSheet("12\n")).toBeUndefined();
  });
});
