/**
 * Who hears that a person is done with the page that a server sent them to. The notice carries nothing but an id, and may
 * come long after its call has ended: it goes to the caller whose own call was told that id, and to nobody where two callers
 * were told the same. Remembered for an hour, the last 1,000; each is told once.
 */
import type { Ask, Completed } from "../../kernel/ask.ts";
import { dropHostMeta } from "../../kernel/drop-host-members.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { membersOf } from "../../kernel/scan-json.ts";
import type { Exchange } from "./exchange.ts";
import { isObject, type JsonObject } from "./read-message.ts";

const ID = "elicitationId";
const MAX_EXPECTED = 1_000;
const KEPT_MS = 3_600_000;
const MAX_ID_CHARS = 1_024;
const MAX_PARAMS_CHARS = 2_048;

interface Expected {
  /** Null: two callers were told this id. */
  readonly owner: string | null;
  readonly tell: Completed | null;
  readonly until: number;
}

export class Completions {
  readonly #expected = new Map<string, Expected>();

  get size(): number {
    return this.#expected.size;
  }

  /** This question goes to the caller of this exchange; only one that sends a person to a page counts. */
  expect(params: unknown, exchange: Exchange): void {
    const { call } = exchange.options;
    const id = isObject(params) && params["mode"] === "url" ? params[ID] : null;
    if (!call || typeof id !== "string" || id.length > MAX_ID_CHARS) return;
    const before = this.#find(id);
    const several = before !== null && before.owner !== call.owner;
    this.#expected.delete(id);
    this.#makeRoom();
    this.#expected.set(id, {
      owner: several ? null : call.owner,
      tell: several ? null : (call.asker.completion?.(PAGE) ?? null),
      until: performance.now() + KEPT_MS,
    });
  }

  /** The answer was that these pages have to be visited before the call is made again. */
  expectAll(data: unknown, exchange: Exchange | null): void {
    const pages = isObject(data) ? data["elicitations"] : null;
    if (exchange === null || !Array.isArray(pages)) return;
    for (const page of pages.slice(0, MAX_EXPECTED)) this.expect(page, exchange);
  }

  take(params: JsonObject | null, paramsJson: string): void {
    const id = params?.[ID];
    if (params === null || typeof id !== "string") return;
    const expected = this.#find(id);
    this.#expected.delete(id);
    expected?.tell?.(toldOf(id, params, paramsJson));
  }

  #find(id: string): Expected | null {
    const expected = this.#expected.get(id);
    return expected !== undefined && expected.until > performance.now() ? expected : null;
  }

  /** The oldest come first. */
  #makeRoom(): void {
    const now = performance.now();
    for (const [id, { until }] of this.#expected) {
      if (this.#expected.size < MAX_EXPECTED && until > now) return;
      this.#expected.delete(id);
    }
  }
}

const PAGE: Ask = { method: "elicitation/create", params: rawJson('{"mode":"url"}'), key: null };

/** What stands beside the id passes too, within reason. An id that stands there twice could be read in two ways. */
const toldOf = (id: string, params: JsonObject, json: string): RawJson => {
  const isPlain = json.length <= MAX_PARAMS_CHARS && membersOf(json).filter(({ key }) => key === ID).length === 1;
  return isPlain ? dropHostMeta(rawJson(json), params) : rawJson(JSON.stringify({ [ID]: id }));
};
