/**
 * Searches real tool lists by the committed questions and prints how often the right tool is among the first five, with the
 * index and plainly, and what a query costs with 10,000 tools.
 */
import type { SearchFinding } from "./findings.ts";
import { importHost } from "./import-host.ts";
import { median } from "./median.ts";
import {
  type CorpusList,
  type CorpusTool,
  readLists,
  readQuestions,
  repeatLists,
  type Questions,
} from "./search-corpus.ts";
import { searchPlainly } from "./search-plainly.ts";
import { shareOf } from "./share-of.ts";

interface Index {
  put(provider: string, tools: readonly CorpusTool[]): void;
  search(query: string, options: { limit: number }): { readonly hits: readonly { readonly name: string }[] };
}

const TOOLS = 10_000;
const FIRST = 5;
const LIMIT = 10;
const ROUNDS = 10;
const CHANGES = 100;

const { createToolIndex } = await importHost<{ createToolIndex: () => Index }>("agent/search/create-tool-index");

const build = (lists: readonly CorpusList[]): Index => {
  const index = createToolIndex();
  for (const { provider, tools } of lists) index.put(provider, tools);
  return index;
};

const recallOf = (questions: Questions["tuned"], search: (query: string) => readonly string[]): number =>
  questions.filter(({ query, tool }) => search(query).includes(tool)).length / questions.length;

const timed = (run: () => void): number => {
  const before = performance.now();
  run();
  return performance.now() - before;
};

type Times = Pick<SearchFinding, "p50Ms" | "p99Ms" | "p99MedianMs" | "buildMs" | "changeMs">;

const measureTimes = (queries: readonly string[]): Times => {
  const lists = repeatLists(readLists(), TOOLS);
  let index = createToolIndex();
  const buildMs = timed(() => (index = build(lists)));
  const changes = lists.slice(0, CHANGES).map(({ provider, tools }) => timed(() => index.put(provider, tools)));
  const ask = (query: string): number => timed(() => index.search(query, { limit: LIMIT }));
  for (const query of queries) ask(query);
  const rounds = Array.from({ length: ROUNDS }, () => queries.map(ask));
  const medians = queries.map((_, question) => median(rounds.map((round) => round[question] ?? Number.NaN)));
  return {
    p50Ms: shareOf(rounds.flat(), 0.5),
    p99Ms: shareOf(rounds.flat(), 0.99),
    p99MedianMs: shareOf(medians, 0.99),
    buildMs,
    changeMs: median(changes),
  };
};

const lists = readLists();
const tools = lists.flatMap((list) => list.tools);
const { tuned, unseen } = readQuestions();
const all = [...tuned, ...unseen];
const index = build(lists);
const byIndex = (query: string): string[] => index.search(query, { limit: FIRST }).hits.map(({ name }) => name);
const plainly = (query: string): readonly string[] => searchPlainly(tools, query, FIRST);

const finding: SearchFinding = {
  questions: all.length,
  recall: recallOf(all, byIndex),
  recallUnseen: recallOf(unseen, byIndex),
  recallPlain: recallOf(all, plainly),
  recallPlainUnseen: recallOf(unseen, plainly),
  tools: TOOLS,
  ...measureTimes(all.map(({ query }) => query)),
};
process.stdout.write(`${JSON.stringify(finding)}\n`);
