/**
 * What searching is measured on: the tool lists of servers from npm, as they gave them out, and questions with the tool that
 * answers each. `tuned` questions were looked at when the index was made; for `unseen` ones nothing was changed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./places.ts";

export interface CorpusTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly aliases: readonly string[];
  readonly properties: readonly string[];
}

export interface CorpusList {
  readonly provider: string;
  readonly tools: readonly CorpusTool[];
}

interface Question {
  readonly query: string;
  /** Flat name. */
  readonly tool: string;
}

export interface Questions {
  readonly tuned: readonly Question[];
  readonly unseen: readonly Question[];
}

interface StoredList {
  readonly package: string;
  readonly tools: readonly {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly inputSchema: { readonly properties?: object };
  }[];
}

const readData = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, "bench", "data", file), "utf8"));

export const readQuestions = (): Questions => readData("tool-queries.json") as Questions;

export const readLists = (): readonly CorpusList[] =>
  (readData("tool-lists.json") as readonly StoredList[]).map((list) => {
    const provider = list.package.slice(list.package.indexOf("/") + 1);
    const tools = list.tools.map(({ name, title = null, description = null, inputSchema }) => ({
      name: `${provider}__${name}`,
      title,
      description,
      aliases: [],
      properties: Object.keys(inputSchema.properties ?? {}),
    }));
    return { provider, tools };
  });

/** The same numbers in every run. */
const createDice = (): ((sides: number) => number) => {
  let state = 42;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * sides);
  };
};

/** So many tools: the lists again and again, for other providers, in other words of the same lists and some of their own. */
export const repeatLists = (lists: readonly CorpusList[], count: number): readonly CorpusList[] => {
  const roll = createDice();
  const words = lists.flatMap(({ tools }) => tools.flatMap(({ description }) => description?.split(" ") ?? []));
  const vary = (text: string): string =>
    text
      .split(" ")
      .map((word) => (roll(8) === 0 ? (words[roll(words.length)] ?? word) : word))
      .concat(`item${roll(20_000)}`)
      .join(" ");
  const repeated: CorpusList[] = [];
  for (let left = count, round = 0; left > 0; round++) {
    const { provider, tools } = lists[round % lists.length] ?? { provider: "none", tools: [] };
    const other = `${provider}-${round}`;
    const taken = tools.slice(0, left).map(({ name, title, description, aliases, properties }) => ({
      name: `${other}__${name.slice(provider.length + 2)}`,
      title,
      description: vary(description ?? ""),
      aliases,
      properties,
    }));
    repeated.push({ provider: other, tools: taken });
    left -= taken.length;
  }
  return repeated;
};
