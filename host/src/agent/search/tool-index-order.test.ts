/** The index against a plain implementation of its order, which looks at every tool. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createToolIndex, type Hit, type ToolIndex } from "./create-tool-index.ts";
import type { ToolEntry } from "./tool-words.ts";

const WORDS = [
  "read",
  "reads",
  "file",
  "files",
  "fiel",
  "list",
  "blue",
  "Green",
  "s",
  "a",
  "sum",
  "bus",
  "zip",
  "grün",
];
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(" "));
const entry = fc.record({
  own: fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join("_")),
  title: fc.option(text),
  description: fc.option(text),
  aliases: fc.array(word, { maxLength: 1 }),
  properties: fc.array(word, { maxLength: 1 }),
});
const tools = fc.uniqueArray(entry, { maxLength: 8, selector: ({ own }) => own });
const listing = fc.record({ provider: fc.constantFrom("p", "q", "file"), tools });
const query = fc.array(fc.oneof(word, fc.constantFrom("raed", "gren", "the", "lis", "GREEN", "blues")), {
  maxLength: 5,
});

type Listing = typeof listing extends fc.Arbitrary<infer T> ? T : never;

const entriesOf = ({ provider, tools: of }: Listing): ToolEntry[] =>
  of.map(({ own, ...rest }) => ({ ...rest, name: `${provider}__${own}` }));

const build = (listings: readonly Listing[]): ToolIndex => {
  const index = createToolIndex();
  for (const each of listings) index.put(each.provider, entriesOf(each));
  return index;
};

/** What is there after each provider was put in for the last time. */
const lastOf = (listings: readonly Listing[]): Map<string, ToolEntry[]> =>
  new Map(listings.map((each) => [each.provider, entriesOf(each)]));

const plainTerms = (whole: string): Set<string> =>
  new Set((whole.match(/[\p{L}\p{N}]+/gu) ?? []).map((term) => (term.length > 3 ? term.replace(/s$/, "") : term)));

const plainRank = ({ name, description }: ToolEntry, asked: string): readonly [number, number] => {
  const whole = asked.trim().toLowerCase();
  const [inName, inText] = [name.toLowerCase(), (description ?? "").toLowerCase()];
  let covered = 0;
  let score = (inName.includes(whole) ? 200 : 0) + (inText.includes(whole) ? 100 : 0);
  for (const term of plainTerms(whole)) {
    if (inName.includes(term) || inText.includes(term)) covered += 1;
    if (inName.includes(term)) score += 20;
    if (inText.includes(term)) score += 10;
  }
  return [covered, score];
};

const sortPlainly = (hits: readonly Hit[], all: readonly ToolEntry[], asked: string): Hit[] => {
  const keyed = hits.map((hit) => {
    const [covered, score] = plainRank(
      all.find(({ name }) => name === hit.name)!,
      asked,
    );
    return { hit, keys: [hit.covered, hit.weight, covered, score] };
  });
  keyed.sort((a, b) => {
    const at = a.keys.findIndex((key, index) => key !== b.keys[index]);
    if (at >= 0) return b.keys[at]! - a.keys[at]!;
    return a.hit.name < b.hit.name ? -1 : a.hit.name > b.hit.name ? 1 : 0;
  });
  return keyed.map(({ hit }) => hit);
};

it("what is found stands in order of terms covered, weight, plain terms covered, plain score, name", () => {
  let ties = 0;
  fc.assert(
    fc.property(fc.array(listing, { maxLength: 4 }), query, (listings, words) => {
      const asked = words.join(" ");
      const all = [...lastOf(listings).values()].flat();
      const { hits, total } = build(listings).search(asked, { limit: Infinity });
      expect(hits).toHaveLength(total);
      expect(hits).toEqual(sortPlainly(hits, all, asked));
      hits.forEach(
        (hit, at) => (ties += hit.covered === hits[at - 1]?.covered && hit.weight === hits[at - 1]?.weight ? 1 : 0),
      );
    }),
    { numRuns: 300 },
  );
  expect(ties).toBeGreaterThan(50);
});

it("a tool that has a word of the query in its name or description is found and covers it", () => {
  fc.assert(
    fc.property(fc.array(listing, { maxLength: 4 }), query, (listings, words) => {
      const asked = plainTerms(
        words
          .filter((each) => !["the", "a"].includes(each))
          .join(" ")
          .toLowerCase(),
      );
      const { hits } = build(listings).search([...asked].join(" "), { limit: Infinity });
      for (const tool of [...lastOf(listings).values()].flat()) {
        const has = plainTerms(`${tool.name} ${tool.description ?? ""}`.toLowerCase().replaceAll("_", " "));
        const covered = [...asked].filter((term) => has.has(term)).length;
        expect(hits.find(({ name }) => name === tool.name)?.covered ?? 0).toBeGreaterThanOrEqual(covered);
      }
    }),
    { numRuns: 200 },
  );
});

it("a short list is the beginning of the long one", () => {
  fc.assert(
    fc.property(fc.array(listing, { maxLength: 4 }), query, fc.nat(12), (listings, words, limit) => {
      const index = build(listings);
      const whole = index.search(words.join(" "), { limit: Infinity });
      const short = index.search(words.join(" "), { limit });
      expect(short).toEqual({ hits: whole.hits.slice(0, limit), total: whole.total });
    }),
  );
});

it("what was changed and removed before leaves no trace", () => {
  fc.assert(
    fc.property(
      fc.array(listing, { maxLength: 6 }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      (listings, asked) => {
        const changed = build(listings);
        changed.put("gone", listings.flatMap(entriesOf));
        changed.remove("gone");
        const fresh = createToolIndex();
        for (const [provider, of] of [...lastOf(listings)].toReversed()) fresh.put(provider, of);
        for (const words of asked) {
          const found = changed.search(words.join(" "), { limit: Infinity });
          expect(found).toEqual(fresh.search(words.join(" "), { limit: Infinity }));
        }
      },
    ),
  );
});
