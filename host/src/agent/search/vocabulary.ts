/**
 * Every word that some tool has, once, and where it is. Words that are like another are found in one pass over one small number
 * for each word, so that nothing has to be sorted or built anew when a provider comes or goes.
 */
import { isOneTypoAway } from "../../kernel/is-one-typo-away.ts";

export interface Word {
  readonly text: string;
  readonly slot: number;
  /** By provider: one entry for each of its tools that has the word. What an entry says is the index's affair. */
  readonly entries: Map<string, number[]>;
  /** How many tools have it. */
  tools: number;
}

export interface LikeWords {
  readonly longer: readonly Word[];
  readonly around: readonly Word[];
  readonly typos: readonly Word[];
}

/** A few letters begin no end of words; those with the fewest further letters are taken. */
const MOST_ALIKE = 48;
const SHORTEST_BEGINNING = 2;
const SHORTEST_PART = 3;
/** Of three letters, every other word is one typo away. */
const SHORTEST_TYPO = 4;
/** From here on a string may be a window on the text it was cut out of, and would keep all of that. */
const WINDOW = 13;

/** Which letters there are, in 32 bits. A word with one typo differs in two bits at most. */
const lettersOf = (text: string): number => {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
};

const withoutLowestBit = (bits: number): number => bits & (bits - 1);

const byLength = (a: Word, b: Word): number => a.text.length - b.text.length || (a.text < b.text ? -1 : 1);
const nearest = (words: Word[]): readonly Word[] =>
  words.length > MOST_ALIKE ? words.toSorted(byLength).slice(0, MOST_ALIKE) : words;

export class Vocabulary {
  readonly #words = new Map<string, Word>();
  readonly #slots: (Word | null)[] = [];
  readonly #free: number[] = [];
  #letters = new Int32Array(1024);

  get(text: string): Word | undefined {
    return this.#words.get(text);
  }

  /** The word, made where there is none. */
  take(text: string): Word {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    const own = text.length < WINDOW ? text : Buffer.from(text, "utf16le").toString("utf16le");
    const word: Word = { text: own, slot: this.#free.pop() ?? this.#slots.length, entries: new Map(), tools: 0 };
    if (word.slot >= this.#letters.length) this.#grow();
    this.#slots[word.slot] = word;
    this.#letters[word.slot] = lettersOf(own);
    this.#words.set(own, word);
    return word;
  }

  /** For a word that no tool has any more. */
  drop(word: Word): void {
    this.#words.delete(word.text);
    this.#slots[word.slot] = null;
    this.#free.push(word.slot);
  }

  /** Other words that begin with the text, have it inside, or are it but for one typo. */
  like(text: string): LikeWords {
    const found = { longer: [] as Word[], around: [] as Word[], typos: [] as Word[] };
    if (text.length < SHORTEST_BEGINNING) return found;
    const letters = lettersOf(text);
    const slots = this.#slots;
    for (let slot = 0; slot < slots.length; slot++) {
      const theirs = this.#letters[slot] ?? 0;
      const hasAll = (theirs & letters) === letters;
      if (!hasAll && withoutLowestBit(withoutLowestBit(theirs ^ letters)) !== 0) continue;
      const word = slots[slot];
      if (word && word.text !== text) sortInto(found, word, text);
    }
    return { longer: nearest(found.longer), around: nearest(found.around), typos: nearest(found.typos) };
  }

  #grow(): void {
    const wider = new Int32Array(this.#letters.length * 2);
    wider.set(this.#letters);
    this.#letters = wider;
  }
}

const sortInto = (found: Record<keyof LikeWords, Word[]>, word: Word, text: string): void => {
  const at = word.text.indexOf(text);
  if (at === 0) found.longer.push(word);
  else if (at > 0 && text.length >= SHORTEST_PART) found.around.push(word);
  else if (at < 0 && text.length >= SHORTEST_TYPO && isOneTypoAway(word.text, text)) found.typos.push(word);
};
