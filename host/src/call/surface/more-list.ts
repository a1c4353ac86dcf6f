/**
 * A list of resources with those behind it that are in no catalogue. Asked each time, since these may be other ones while all
 * else is the same; what did not change is joined once, and an entry is made once however often the list changes.
 */
import type { ListedResource, Provider } from "../../kernel/provider.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { spliceEntry } from "./splice-entry.ts";

const shown = new WeakMap<ListedResource, RawJson>();

export class MoreList {
  readonly #isOwn: boolean;
  #lists: readonly (readonly ListedResource[])[] = [];
  #json: RawJson | null = null;

  /** `isOwn`: for the provider's own endpoint, where nobody asks whose it is. */
  constructor(isOwn: boolean) {
    this.#isOwn = isOwn;
  }

  join(listed: RawJson, providers: readonly Provider[]): RawJson {
    const lists = providers.map(({ more }) => more?.list() ?? []);
    const isSame = lists.length === this.#lists.length && lists.every((list, at) => list === this.#lists[at]);
    if (this.#json !== null && isSame) return this.#json;
    const texts = lists.flatMap((list, at) => list.map((entry) => this.#text(entry, providers[at]!.name)));
    this.#lists = lists;
    this.#json = append(listed, texts);
    return this.#json;
  }

  #text(entry: ListedResource, provider: string): RawJson {
    if (this.#isOwn) return entry.json;
    const meta = `"dev.bailiwick/provider":${JSON.stringify(provider)}`;
    const text = shown.get(entry) ?? spliceEntry(entry.json, { name: null, meta });
    shown.set(entry, text);
    return text;
  }
}

const append = (list: RawJson, texts: readonly RawJson[]): RawJson => {
  if (texts.length === 0) return list;
  return rawJson(`${list.slice(0, -1)}${list === "[]" ? "" : ","}${texts.join(",")}]`);
};
