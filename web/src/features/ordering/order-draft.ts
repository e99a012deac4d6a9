import type { Line, LineFields, NewLineFields, OrderableArticle } from "@/api/types.gen";
import { writeDecimal } from "@/lib/decimal-text";
import { dropDraft, findDraft, keepDraft } from "@/lib/drafts";
import { ApiError, toApiError } from "@/lib/problem";
import type { Unsaved } from "@/lib/unsaved";
import { changesOf, isCounted, keyOf, type RowWork, sameNumber, type Wanted, wantedOf } from "./wanted";

/** The calls of the service that store a draft. */
export interface Calls {
  draft(fields: NewLineFields, confirmed: boolean): Promise<Line>;
  edit(line: Line, fields: LineFields): Promise<Line>;
  /** Cancels a line that was removed while drafting. */
  remove(line: Line): Promise<unknown>;
  line(id: string): Promise<Line>;
  article(product: string): Promise<OrderableArticle | undefined>;
  /** The lines of an order. */
  lines(order: string): Promise<readonly Line[]>;
  /** Runs alone among the tabs that make this order, with the order that another one has made. */
  alone(run: (made: string | undefined) => Promise<void>): Promise<void>;
  /** Tells the other tabs of the order. */
  announce(order: string): Promise<void>;
}

interface Spec {
  supplier: string;
  currency: string;
  locale: string;
  calls: Calls;
  /** Names the unsaved texts in the tab's storage. */
  key?: string | undefined;
  /** The draft that is edited, and its lines. */
  order?: string | undefined;
  lines?: readonly Line[];
  expected: string;
  /** Called when everything that can be saved is. */
  onIdle?: () => void;
}

export interface OrderState {
  order: string | undefined;
  /** The expected day of new lines. */
  expected: string;
  /** The lines of the order that are articles of its supplier, by product. Cancelled ones are left out. */
  lines: ReadonlyMap<string, Line>;
  work: ReadonlyMap<string, RowWork>;
  saving: boolean;
}

/** How long typing must rest before it is saved, and an unclear failure before it is tried again. */
const restMs = 900;
const retryMs = 5000;

const questions = ["already_on_its_way", "recommendation_locked"];

/** Whether a refusal asks if more is wanted of what is on its way. */
export const isQuestion = (failure: ApiError | undefined) =>
  failure !== undefined && questions.includes(failure.code);

/** Whether it is not known if the service has done what it was asked. */
const isUnclear = ({ status }: ApiError) => status === 0 || status >= 500 || status === 429;

/** The order that unsaved texts of an earlier visit belong to. */
export const keptOrder = (key: string) => (findDraft(key)?.draft as { order?: string } | undefined)?.order;

/**
 * A draft order while somebody types in it. The first quantity makes the order, the next ones join it.
 * Requests are sent one at a time, in the order of typing, so that no two lines make two orders. It is
 * an object and not React state, because of two events in a row the second must see the first one's
 * effect.
 */
export class OrderDraft implements Unsaved {
  settled: Promise<void> | undefined;
  #spec: Spec;
  #state: OrderState;
  #articles = new Map<string, OrderableArticle>();
  #queue: string[] = [];
  #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #watchers = new Set<() => void>();

  constructor(spec: Spec) {
    this.#spec = spec;
    const kept = spec.key === undefined ? undefined : findDraft(spec.key)?.draft;
    const { order, work } = (kept ?? {}) as { order?: string; work?: [string, RowWork][] };
    this.#state = {
      order: spec.order,
      expected: spec.expected,
      lines: new Map(),
      work: new Map(order === spec.order || spec.order === undefined ? work : []),
      saving: false,
    };
    this.#takeLines(spec.lines ?? []);
  }

  get state(): OrderState {
    return this.#state;
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Takes over articles as they were read. */
  know(articles: readonly OrderableArticle[]): void {
    for (const one of articles) {
      const { product_id: product } = one;
      const fresh = !this.#articles.has(product);
      this.#articles.set(product, one);
      // What was typed before a reload is saved as soon as its article is known.
      if (fresh && this.isDirty(product)) this.#enqueue(product);
    }
  }

  article(product: string): OrderableArticle | undefined {
    return this.#articles.get(product);
  }

  /** The products that the state is about, whose articles must be known. */
  get products(): string[] {
    return [...new Set([...this.#state.lines.keys(), ...this.#state.work.keys()])];
  }

  isDirty(product: string): boolean {
    const { quantity, price, expected } = this.#state.work.get(product) ?? {};
    const line = this.#state.lines.get(product);
    return quantity !== undefined || (line !== undefined && (price ?? expected) !== undefined);
  }

  /** How many rows are not saved. */
  get unsaved(): number {
    return [...this.#state.work.keys()].filter((product) => this.isDirty(product)).length;
  }

  get dirty(): boolean {
    return this.unsaved > 0;
  }

  discard(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#put({ work: new Map() });
  }

  /** Takes what is typed in a cell. It is saved when the typing rests. */
  type(product: string, typed: { quantity?: string; price?: string }): void {
    const fresh =
      typed.quantity === undefined ? {} : { from: undefined, exact: undefined, confirmed: undefined };
    this.#change(product, { ...fresh, ...typed, failure: undefined });
    clearTimeout(this.#timers.get(product));
    this.#timers.set(
      product,
      setTimeout(() => this.#enqueue(product), restMs),
    );
  }

  /** A cell was left: its quantity becomes what can be ordered, and is saved. */
  leave(product: string): void {
    clearTimeout(this.#timers.get(product));
    const article = this.#articles.get(product);
    const work = this.#state.work.get(product);
    if (!article || !work || !this.isDirty(product)) return;
    const wanted = this.wanted(article);
    if (!("ask" in wanted) && this.#noteRounding(article, wanted))
      this.#change(product, { quantity: writeDecimal(wanted.quantity, this.#spec.locale) });
    if (!work.failure) this.#enqueue(product);
  }

  /** Sets a quantity at once, as when its cell is left. */
  set(product: string, typed: { quantity: string; price?: string }): void {
    this.type(product, typed);
    this.leave(product);
  }

  /** Goes back to the quantity as it was typed. */
  unround(product: string, quantity: string): void {
    this.#change(product, { quantity, exact: true, from: undefined, failure: undefined });
    this.#enqueue(product);
  }

  /** Tries again, and answers the question whether more is wanted. */
  insist(product: string): void {
    const code = this.#state.work.get(product)?.failure?.code ?? "";
    this.#change(product, {
      failure: undefined,
      ...(questions.includes(code) && { confirmed: true, keyless: code === "recommendation_locked" }),
    });
    this.#enqueue(product);
  }

  /** Drops what is typed in a row and not saved. */
  giveUp(product: string): void {
    clearTimeout(this.#timers.get(product));
    const work = new Map(this.#state.work);
    work.delete(product);
    this.#put({ work });
  }

  /** Sets the day on which the whole order is expected. */
  expect(expected: string): void {
    this.#put({ expected });
    for (const [product, line] of this.#state.lines) {
      if (line.status !== "draft" || !this.#articles.has(product)) continue;
      this.#change(product, { expected });
      this.#enqueue(product);
    }
  }

  /** Saves what is typed, and resolves when all requests are answered. */
  async flush(): Promise<void> {
    for (const product of this.#state.work.keys()) this.leave(product);
    await this.settled;
  }

  wanted(article: OrderableArticle) {
    const { lines, work } = this.#state;
    const { product_id: product } = article;
    return wantedOf(article, work.get(product) ?? {}, lines.get(product), this.#spec.locale);
  }

  /** Keeps what was typed if it is rounded, to tell and to go back to. */
  #noteRounding(article: OrderableArticle, { quantity }: Wanted): boolean {
    const work = this.#state.work.get(article.product_id) ?? {};
    const typed = wantedOf(article, { ...work, exact: true }, undefined, this.#spec.locale);
    if (work.quantity === undefined || "ask" in typed || sameNumber(typed.quantity, quantity)) return false;
    this.#change(article.product_id, { from: typed.quantity });
    return true;
  }

  #put(change: Partial<OrderState>): void {
    this.#state = { ...this.#state, ...change };
    const { key } = this.#spec;
    if (key !== undefined) {
      const work = [...this.#state.work].filter(([product]) => this.isDirty(product));
      const stored = work.map(([product, { failure, ...rest }]) => [product, rest]);
      if (work.length === 0) dropDraft(key);
      else keepDraft(key, { draft: { order: this.#state.order, work: stored }, start: {}, seen: null });
    }
    for (const watcher of this.#watchers) watcher();
  }

  #change(product: string, change: RowWork): void {
    const before = this.#state.work.get(product);
    this.#put({ work: new Map(this.#state.work).set(product, { ...before, ...change }) });
  }

  #takeLines(lines: readonly Line[]): void {
    const known = new Map(this.#state.lines);
    for (const line of lines)
      if (line.product_id && line.status !== "cancelled") known.set(line.product_id, line);
    this.#put({ lines: known });
  }

  #enqueue(product: string): void {
    if (!this.#queue.includes(product)) this.#queue.push(product);
    this.settled ??= this.#run().finally(() => {
      this.settled = undefined;
      this.#put({ saving: false });
      this.#spec.onIdle?.();
    });
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // so that several rows set at once are told as one save
    for (let product = this.#queue.shift(); product !== undefined; product = this.#queue.shift()) {
      const article = this.#articles.get(product);
      if (!article || !this.isDirty(product) || this.#state.work.get(product)?.failure) continue;
      const wanted = this.wanted(article);
      if ("ask" in wanted) continue;
      this.#noteRounding(article, wanted);
      this.#put({ saving: true });
      await this.#save(article, wanted);
    }
  }

  async #save(article: OrderableArticle, wanted: Wanted): Promise<void> {
    const { product_id: product } = article;
    const work = this.#state.work.get(product) ?? {};
    const line = this.#state.lines.get(product);
    try {
      if (!line && wanted.quantity !== "") await this.#create(article, wanted);
      else if (line) await this.#update(line, wanted, work.expected);
      this.#settle(product, work);
    } catch (cause) {
      const failure = toApiError(cause);
      const now = this.#state.work.get(product) ?? {};
      const isNewer = now.quantity !== work.quantity || now.price !== work.price;
      // What was typed meanwhile was not refused, and is sent next.
      if (failure.status === 422 && isNewer) this.#change(product, { sent: undefined });
      else await this.#refused(article, wanted, failure);
    }
  }

  /** Drops the texts that are stored now, unless something else was typed meanwhile. */
  #settle(product: string, saved: RowWork): void {
    const now = this.#state.work.get(product) ?? {};
    this.#change(product, {
      ...(now.quantity === saved.quantity && { quantity: undefined }),
      ...(now.price === saved.price && { price: undefined }),
      ...(now.expected === saved.expected && { expected: undefined }),
      sent: undefined,
    });
  }

  /** Makes the line. The first one of a new order makes the order too. */
  async #create(article: OrderableArticle, wanted: Wanted): Promise<void> {
    if (this.#state.order !== undefined) return this.#draft(article, wanted);
    await this.#spec.calls.alone(async (made) => {
      if (made !== undefined) await this.#join(made);
      if (this.#state.lines.has(article.product_id)) throw changedMeanwhile();
      await this.#draft(article, wanted);
      if (made === undefined && this.#state.order !== undefined)
        await this.#spec.calls.announce(this.#state.order);
    });
  }

  /** Goes on with an order that another tab has made. */
  async #join(order: string): Promise<void> {
    this.#takeLines(await this.#spec.calls.lines(order));
    this.#adoptOrder(order);
  }

  #adoptOrder(order: string): void {
    if (this.#state.order === order) return;
    this.#put({ order });
  }

  async #draft(article: OrderableArticle, wanted: Wanted): Promise<void> {
    const { product_id: product } = article;
    const work = this.#state.work.get(product) ?? {};
    const found = work.sent && (await this.#lost(article, work.sent, wanted));
    if (found) {
      this.#takeLines([found]);
      this.#adoptOrder(found.order_no);
      return this.#update(found, wanted, undefined);
    }
    // Kept before the call: after a reload, too, the line is looked for and not drafted again.
    this.#change(product, { sent: article.on_its_way.flatMap(({ line_id }) => line_id ?? []) });
    const key = keyOf(article, work);
    const line = await this.#spec.calls.draft(
      {
        product_id: product,
        supplier_id: this.#spec.supplier,
        quantity_ordered: wanted.quantity,
        ...(this.#state.order !== undefined && { order_no: this.#state.order }),
        ...(wanted.price && {
          price_per_unit: wanted.price,
          currency: article.currency || this.#spec.currency,
        }),
        ...(this.#state.expected && { expected_arrival_date: this.#state.expected }),
        ...(key && { recommendation_key: key }),
      },
      work.confirmed === true || isCounted(article, work, wanted.quantity),
    );
    this.#takeLines([line]);
    this.#adoptOrder(line.order_no);
  }

  /** The line that a request made whose answer was lost. */
  async #lost(
    article: OrderableArticle,
    before: readonly string[],
    wanted: Wanted,
  ): Promise<Line | undefined> {
    const now = await this.#spec.calls.article(article.product_id);
    const { order } = this.#state;
    const made = now?.on_its_way.find(
      ({ line_id, order_no, status, quantity }) =>
        line_id !== undefined &&
        !before.includes(line_id) &&
        status === "draft" &&
        (order === undefined ? sameNumber(quantity, wanted.quantity) : order_no === order),
    );
    return made?.line_id === undefined ? undefined : this.#spec.calls.line(made.line_id);
  }

  async #update(line: Line, wanted: Wanted, expected: string | undefined): Promise<void> {
    if (line.status !== "draft")
      throw new ApiError(
        { code: "line_status", detail: "This line is no draft any more. Change it in the order." },
        409,
      );
    if (wanted.quantity === "") {
      await this.#spec.calls.remove(line);
      const lines = new Map(this.#state.lines);
      lines.delete(line.product_id ?? "");
      return this.#put({ lines });
    }
    const changes = changesOf(line, wanted, expected, this.#spec.currency);
    if (Object.keys(changes).length > 0) this.#takeLines([await this.#spec.calls.edit(line, changes)]);
  }

  /** Looks at what is stored after a refusal, and keeps what was typed with the reason. */
  async #refused(article: OrderableArticle, wanted: Wanted, failure: ApiError): Promise<void> {
    const { product_id: product } = article;
    const work = this.#state.work.get(product) ?? {};
    if (failure.code === "recommendation_answered" && !work.keyless) {
      this.#change(product, { sent: undefined, keyless: true });
      this.#enqueue(product);
      return;
    }
    const line = this.#state.lines.get(product);
    try {
      if (line && (failure.status === 412 || failure.status === 404)) {
        const now = await this.#spec.calls.line(line.id);
        if (this.#isStored(now, wanted, work)) return this.#settle(product, work);
      } else if (isQuestion(failure)) {
        const now = await this.#spec.calls.article(product);
        if (now) this.#articles.set(product, now);
      }
    } catch {
      // What is stored stays unknown; the refusal itself is shown.
    }
    this.#change(product, { failure, ...(!isUnclear(failure) && { sent: undefined }) });
    if (isUnclear(failure)) setTimeout(() => this.#again(product), retryMs);
  }

  /** Takes over a line as it is now; reports whether it is what was wanted. */
  #isStored(now: Line, wanted: Wanted, work: RowWork): boolean {
    if (now.status === "cancelled") {
      const lines = new Map(this.#state.lines);
      lines.delete(now.product_id ?? "");
      this.#put({ lines });
      return wanted.quantity === "";
    }
    this.#takeLines([now]);
    return Object.keys(changesOf(now, wanted, work.expected, this.#spec.currency)).length === 0;
  }

  #again(product: string): void {
    const failure = this.#state.work.get(product)?.failure;
    if (failure && isUnclear(failure)) this.insist(product);
  }
}

function changedMeanwhile(): ApiError {
  return new ApiError({ code: "stale", detail: "Another tab has put it into this order." }, 412);
}
