/** The words of one tool with their weights, by the fields they stand in. */
import { WEIGHT_BITS } from "./tally.ts";
import { wordsOf, wordsOfName } from "./words-of.ts";

export interface ToolEntry {
  /** Flat name, `provider__tool`. */
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  /** Further words that it is found by. */
  readonly aliases: readonly string[];
  /** Names of the properties of its input schema. */
  readonly properties: readonly string[];
}

/** So much of a description is read. */
export const LONGEST_TEXT = 2_000;
const LONGEST_NAME = 256;
const MOST_NAMES = 64;
const MOST_WORDS = 400;

const HEAVIEST = (1 << WEIGHT_BITS) - 1;
const NAME = 600;
const PROVIDER = 180;
const TITLE = 420;
const ALIAS = 420;
const PROPERTY = 180;
const DESCRIPTION = 240;
/** Of the fields beside the weightiest one. */
const FURTHER = 0.2;
/** A description of so many words has its weight; each word of a longer one says less. */
const USUAL_WORDS = 40;

const firstOf = (names: readonly string[]): string[] =>
  names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));

const weigh = (into: Map<string, number>, words: readonly string[], weight: number): void => {
  for (const word of new Set(words)) {
    const before = into.get(word) ?? 0;
    if (before === 0 && into.size >= MOST_WORDS) continue;
    const [more, less] = before > weight ? [before, weight] : [weight, before];
    into.set(word, Math.min(HEAVIEST, Math.round(more + FURTHER * less)));
  }
};

export const toolWords = (provider: string, tool: ToolEntry): ReadonlyMap<string, number> => {
  const flat = tool.name.slice(0, LONGEST_NAME);
  const own = flat.startsWith(`${provider}__`) ? flat.slice(provider.length + 2) : flat;
  const words = new Map<string, number>();
  weigh(words, wordsOfName(own), NAME);
  weigh(words, wordsOf((tool.title ?? "").slice(0, LONGEST_NAME)), TITLE);
  weigh(words, firstOf(tool.aliases).flatMap(wordsOf), ALIAS);
  weigh(words, firstOf(tool.properties).flatMap(wordsOfName), PROPERTY);
  weigh(words, wordsOf(provider.slice(0, LONGEST_NAME)), PROVIDER);
  const prose = wordsOf((tool.description ?? "").slice(0, LONGEST_TEXT));
  weigh(words, prose, DESCRIPTION / Math.max(1, 0.5 + (0.5 * new Set(prose).size) / USUAL_WORDS));
  return words;
};
