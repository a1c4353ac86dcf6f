import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formsOf } from "./forms-of.ts";
import { Vocabulary, type Word } from "./vocabulary.ts";
import { wordsOf, wordsOfName } from "./words-of.ts";

const LETTERS = ["a", "b", "c", "é", "7"];
const word = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 6 }).map((letters) => letters.join(""));

/** Everything that one typo can make of a word. */
const typosOf = (text: string): Set<string> => {
  const made = new Set<string>();
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    made.add(before + after.slice(1));
    if (after.length > 1) made.add(before + after[1]! + after[0]! + after.slice(2));
    for (const letter of LETTERS) made.add(before + letter + after).add(before + letter + after.slice(1));
  }
  return made;
};

const texts = (words: readonly Word[]): string[] => words.map((each) => each.text).toSorted();

describe("words that are like another", () => {
  it("are those that begin with it, have it inside, or are one typo away", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { maxLength: 40 }),
        fc.array(word, { maxLength: 9 }),
        word,
        (kept, gone, asked) => {
          const vocabulary = new Vocabulary();
          for (const text of [...gone, ...kept]) vocabulary.take(text);
          const left = kept.filter((text) => !gone.includes(text));
          for (const text of new Set(gone)) vocabulary.drop(vocabulary.get(text)!);
          const { longer, around, typos } = vocabulary.like(asked);
          const others = left.filter((text) => text !== asked).toSorted();
          const inside = others.filter((text) => text.includes(asked) && !text.startsWith(asked));
          const near = others.filter((text) => !text.includes(asked) && typosOf(asked).has(text));
          expect(texts(longer)).toEqual(asked.length > 1 ? others.filter((text) => text.startsWith(asked)) : []);
          expect(texts(around)).toEqual(asked.length > 2 ? inside : []);
          expect(texts(typos)).toEqual(asked.length > 3 ? near : []);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("are no more than a few dozen, the shortest first, of however many", () => {
    const vocabulary = new Vocabulary();
    for (let each = 0; each < 5_000; each++) vocabulary.take(`word${each}`);
    const { longer } = vocabulary.like("word");
    expect(longer).toHaveLength(48);
    expect(Math.max(...longer.map(({ text }) => text.length))).toBe(6);
  });
});

it.each([
  ["Send two E-Mails", ["send", "two", "e", "mail"]],
  ["his bus, its class", ["his", "bus", "its", "clas"]],
  ["Straße CRÈME ﬁle", ["strasse", "creme", "file"]],
  ["価格 list", ["価", "格", "list"]],
  ["x".repeat(50), ["x".repeat(40)]],
  ["\u{d800} \u{301}", []],
])("%j has the words %j", (text, expected) => expect(wordsOf(text)).toEqual(expected));

it.each([
  ["getFileInfo", "file"],
  ["getHTMLPages", "page"],
  ["get_file_info", "getfileinfo"],
  ["list-all", "all"],
])("the name %s has the word %s", (name, expected) => expect(wordsOfName(name)).toContain(expected));

it.each([
  ["directorie", "directory"],
  ["renaming", "rename"],
  ["zipped", "zip"],
  ["deleted", "delete"],
  ["creation", "create"],
  ["rename", "renaming"],
])("%s is also %s", (form, expected) => expect(formsOf(form)).toContain(expected));
