/**
 * Finds tools by what a person or a model says it wants done. Tools that answer more of the query's words come first, then those
 * that answer them better: in the name rather than in the description, by the word itself rather than by one like it, by rare
 * words rather than by common ones; among equals decides the plain order. Each provider is put in and taken out by itself.
 */
import { findWords } from "./find-words.ts";
import { pickBest } from "./pick-best.ts";
import { plainOrder, type PlainRank } from "./plain-order.ts";
import { readQuery } from "./read-query.ts";
import { Tally, WEIGHT_BITS } from "./tally.ts";
import { LONGEST_TEXT, toolWords, type ToolEntry } from "./tool-words.ts";
import { Vocabulary, type Word } from "./vocabulary.ts";

export interface Hit {
  readonly provider: string;
  /** Flat name. */
  readonly name: string;
  /** How many words of the query it answers, and how well. */
  readonly covered: number;
  readonly weight: number;
}

export interface SearchOptions {
  readonly limit: number;
  /** Only tools for which it is true are found and counted. */
  readonly filter?: (tool: { readonly provider: string; readonly name: string }) => boolean;
}

export interface ToolIndex {
  /** The tools of a provider, all of them, in place of those it had. */
  put(provider: string, tools: readonly ToolEntry[]): void;
  remove(provider: string): void;
  /** Best first; `total` counts also those beyond the limit. Nothing is found where nothing is asked for. */
  search(query: string, options: SearchOptions): { readonly hits: readonly Hit[]; readonly total: number };
}

/**
 * Of one provider: so many characters of descriptions, so many different words. Tools beyond the first are found by all but their
 * descriptions, and none by words beyond the second.
 */
const MOST_TEXT = 8_000_000;
const MOST_WORDS = 50_000;

/** What there is of one provider. */
interface Held {
  readonly ids: number[];
  readonly words: Set<Word>;
}

interface Indexed {
  readonly provider: string;
  readonly name: string;
  readonly plainName: string;
  readonly plainDescription: string;
}

export const createToolIndex = (): ToolIndex => new Index();

class Index implements ToolIndex {
  readonly #vocabulary = new Vocabulary();
  readonly #providers = new Map<string, Held>();
  readonly #tools: (Indexed | null)[] = [];
  readonly #free: number[] = [];
  readonly #tally = new Tally();

  put(provider: string, tools: readonly ToolEntry[]): void {
    this.remove(provider);
    const held: Held = { ids: [], words: new Set() };
    const names = new Set<string>();
    let text = 0;
    for (const tool of tools) {
      if (names.has(tool.name)) continue;
      names.add(tool.name);
      text += Math.min(tool.description?.length ?? 0, LONGEST_TEXT);
      const isRead = text <= MOST_TEXT && held.words.size < MOST_WORDS;
      this.#add(provider, isRead ? tool : { ...tool, description: null }, held);
    }
    if (held.ids.length > 0) this.#providers.set(provider, held);
  }

  remove(provider: string): void {
    const held = this.#providers.get(provider);
    if (held === undefined) return;
    for (const word of held.words) {
      word.tools -= word.entries.get(provider)?.length ?? 0;
      word.entries.delete(provider);
      if (word.tools === 0) this.#vocabulary.drop(word);
    }
    for (const id of held.ids) {
      this.#tools[id] = null;
      this.#free.push(id);
    }
    this.#providers.delete(provider);
  }

  search(query: string, { limit, filter }: SearchOptions): ReturnType<ToolIndex["search"]> {
    const tally = this.#tally;
    tally.makeRoom(this.#tools.length);
    try {
      for (const term of readQuery(query)) this.#lookUp(term);
      const touched = tally.touched();
      const found = filter === undefined ? touched : touched.filter((id) => filter(this.#tools[id]!));
      const best = pickBest(found, limit, this.#order(query));
      return { hits: best.map((id) => this.#hit(id)), total: found.length };
    } finally {
      tally.clear();
    }
  }

  #add(provider: string, tool: ToolEntry, { ids, words }: Held): void {
    const id = this.#free.pop() ?? this.#tools.length;
    ids.push(id);
    this.#tools[id] = indexed(provider, tool);
    for (const [text, weight] of toolWords(provider, tool)) {
      if (words.size >= MOST_WORDS && !this.#vocabulary.get(text)?.entries.has(provider)) continue;
      const word = this.#vocabulary.take(text);
      const entry = (id << WEIGHT_BITS) | weight;
      const entries = word.entries.get(provider);
      if (entries === undefined) word.entries.set(provider, [entry]);
      else entries.push(entry);
      word.tools++;
      words.add(word);
    }
  }

  #lookUp(term: string): void {
    const count = this.#tools.length - this.#free.length;
    for (const { word, share } of findWords(term, this.#vocabulary)) {
      const rarity = share * Math.log(1 + count / word.tools);
      for (const entries of word.entries.values()) this.#tally.answer(entries, rarity);
    }
    this.#tally.endTerm();
  }

  #order(query: string): (a: number, b: number) => number {
    const tally = this.#tally;
    const rankOf = plainOrder(query);
    const ranks = new Map<number, PlainRank>();
    const rank = (id: number): PlainRank => {
      const known = ranks.get(id) ?? rankOf(this.#tools[id]!);
      ranks.set(id, known);
      return known;
    };
    return (a, b) => {
      const order = tally.covered(b) - tally.covered(a) || tally.weight(b) - tally.weight(a);
      if (order !== 0) return order;
      const [rankA, rankB] = [rank(a), rank(b)];
      const plain = rankB.covered - rankA.covered || rankB.score - rankA.score;
      return plain !== 0 ? plain : this.#tools[a]!.name < this.#tools[b]!.name ? -1 : 1;
    };
  }

  #hit(id: number): Hit {
    const { provider, name } = this.#tools[id]!;
    return { provider, name, covered: this.#tally.covered(id), weight: this.#tally.weight(id) };
  }
}

/** A string that was cut out of another keeps all of it, unless it is copied. */
const cut = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : Buffer.from(text.slice(0, LONGEST_TEXT), "utf16le").toString("utf16le");

const indexed = (provider: string, { name, description }: ToolEntry): Indexed => ({
  provider,
  name,
  plainName: cut(name).toLowerCase(),
  plainDescription: cut(description ?? "").toLowerCase(),
});
