import { expect, test } from "vitest";
import type { Findings, Flatness, SubjectFinding } from "./findings.ts";
import { judgeGoals } from "./goals.ts";
import type { Load } from "./load.ts";
import { readGoals, writeMarkdown } from "./report.ts";

const load = (perSecond: number, more: Partial<Load> = {}): Load => ({
  fromMicros: 0,
  toMicros: 1,
  calls: 1,
  perSecond,
  p50Ms: 1,
  p99Ms: 2,
  wrong: 0,
  firstWrong: null,
  cpuMicrosPerCall: 100,
  clientCpuMicrosPerCall: 10,
  rootRssBytes: 1,
  treeRssBytes: 2,
  ...more,
});

const subject = (id: string, kind: SubjectFinding["kind"], at: (inFlight: number) => Load): SubjectFinding => ({
  id,
  title: id,
  note: "as it is",
  kind,
  loads: { value: [1, 32, 64].map((inFlight) => ({ inFlight, load: at(inFlight) })) },
});

const cost = (coldMs: number, p99Ms: number) => ({ coldMs, p50Ms: 0.5, p99Ms, changedMs: 2 });

const findings = (subjects: readonly SubjectFinding[]): Findings => ({
  quick: false,
  machine: { cores: 2, processor: "x", memoryBytes: 8e9, system: "Linux", node: "24" },
  fsyncMs: 0.25,
  subjects,
  list: null,
  tools: { value: { little: { amount: 10, perSecond: 100 }, much: { amount: 10_000, perSecond: 89 }, wrong: 0 } },
  doors: null,
  events: { failure: "the disk is full" },
  workspaces: null,
  verify: { value: { events: 100_000, microsPerEvent: 10 } },
  policy: { value: { rules: 100, microsPerDecision: 20.1, microsUnconfigured: 0.1 } },
  gate: { value: { required: 5, microsRequiring: 2.1, microsPlain: 0.1 } },
  approvals: { value: { pending: 9950, sockets: 1, timers: 1, bytesEach: 2000 } },
  search: {
    value: {
      index: {
        questions: 238,
        recall: 0.9,
        recallUnseen: 0.96,
        recallPlain: 0.9,
        recallPlainUnseen: 0.65,
        tools: 10_000,
        p50Ms: 0.8,
        p99Ms: 5,
        p99MedianMs: 2,
        buildMs: 600,
        changeMs: 0.4,
      },
      tool: { tools: 10_000, bundles: 10, p50Ms: 1, p99Ms: 5.1, firstMs: 700, changedMs: 40 },
    },
  },
  agent: {
    value: {
      message: { p50Ms: 8.5, cpuMicros: 6000 },
      rest: { p50Ms: 1, cpuMicros: 800 },
      modelMs: 0.5,
      firstTextMs: 6.25,
      modelFirstTextMs: 0.25,
    },
  },
  compose: {
    value: {
      reads: {
        tools: 1000,
        generators: 50,
        describedMs: 2500,
        documents: [
          { uri: "capabilities://server", targetMs: 50, made: cost(1, 5), sent: cost(51, 9) },
          { uri: "capabilities://skills", targetMs: null, made: cost(90, 5.1), sent: cost(99, 12) },
        ],
      },
      batch: { items: 50, waitMs: 200, workers: 8, sequentialMs: 10_000, parallelMs: 2_000 },
      versions: {
        versions: 10_000,
        contents: 100,
        rows: [
          { what: "generate_content", isList: false, noneMs: 2, manyMs: 2.3 },
          { what: "resources/list", isList: true, noneMs: 1, manyMs: 9 },
        ],
      },
    },
  },
  start: null,
  profile: null,
});

const SUBJECTS = [
  subject("bare", "baseline", () => load(20_000)),
  subject("bailiwick", "bailiwick", (n) => load(n === 64 ? 6_600 : 5_000, { p50Ms: 1.95, cpuMicrosPerCall: 200 })),
  subject("slow", "gateway", () => load(1_000)),
  subject("quick", "gateway", () => load(2_001)),
  subject("old", "gateway-sse", () => load(5_000)),
];

const verdict = (all: readonly SubjectFinding[], what: string): unknown =>
  judgeGoals(findings(all)).find((goal) => goal.what.startsWith(what))?.reached;

test("a goal is reached on its very limit and missed beyond it", () => {
  expect(verdict(SUBJECTS, "32 in flight, to the bare hop")).toBe(true);
  expect(verdict(SUBJECTS, "64 in flight, to the bare hop")).toBe(true);
  expect(verdict(SUBJECTS, "CPU a call, whole tree, 64")).toBe(true);
  expect(verdict(SUBJECTS, "added p50 at 1 in flight")).toBe(false);
  expect(verdict(SUBJECTS, "calls/s with 10,000 tools")).toBe(false);
});

test("the gateway to beat is the fastest one, and the old doors are shown beside it without a goal", () => {
  const goals = judgeGoals(findings(SUBJECTS));
  expect(goals[0]).toMatchObject({
    what: expect.stringContaining("(quick)") as string,
    measured: "2.50×",
    reached: false,
  });
  expect(goals[1]).toMatchObject({
    what: expect.stringContaining("(old)") as string,
    measured: "1.00×",
    reached: null,
  });
});

test("what was not measured is neither reached nor missed", () => {
  expect(verdict(SUBJECTS, "64 in flight, batched")).toBeNull();
  expect(verdict(SUBJECTS, "cold start")).toBeNull();
  expect(verdict(SUBJECTS, "calls/s with 1,000,000 events")).toBeNull();
});

test("what governance costs is judged by itself", () => {
  expect(verdict(SUBJECTS, "evidence verify")).toBe(true);
  expect(verdict(SUBJECTS, "policy with 100 rules")).toBe(false);
  expect(verdict(SUBJECTS, "environment capabilities")).toBe(false);
  expect(verdict(SUBJECTS, "sockets left")).toBe(false);
  expect(verdict(SUBJECTS, "timers left")).toBe(true);
});

test("finding tools is judged by what is found, against a plain search, and by what a query takes", () => {
  expect(verdict(SUBJECTS, "tools found among the first five")).toBe(true);
  expect(verdict(SUBJECTS, "the same, to a plain search")).toBe(false);
  expect(verdict(SUBJECTS, "a query of the index with 10,000 tools, p99")).toBe(true);
  expect(verdict(SUBJECTS, "nb__discover_tools itself with 10,000 tools, p99")).toBe(false);
});

test("a message to the agent is shown without the time of the model, beside the same call over REST", () => {
  const text = writeMarkdown(findings(SUBJECTS), new Map());
  expect(text).toContain("| a message with one tool call | 8.50 | 8.00 | 6,000 |");
  expect(text).toContain("| the same tool call over REST | 1.00 | 1.00 | 800 |");
  expect(text).toContain("| a message that is answered at once, until its first text | 6.25 | 6.00 | – |");
});

test("documents are judged where they are made, their first read at the client, and lists of what is stored not at all", () => {
  const prefix = /^(capabilities|a batch|generate_content|resources)/;
  const judged = judgeGoals(findings(SUBJECTS)).filter(({ what }) => prefix.test(what));
  expect(judged.map(({ what, measured, reached }) => [what, measured, reached])).toEqual([
    ["capabilities://server where it is made, p99", "5.00 ms", true],
    ["capabilities://skills where it is made, p99", "5.10 ms", false],
    ["capabilities://server at the client, the first", "51 ms", false],
    ["a batch of 50, 8 at a time, to one after another", "5.00×", true],
    ["generate_content, 10,000 stored versions to none", "1.15×", false],
  ]);
});

test("what was measured of compose is shown, and why where nothing was", () => {
  const text = writeMarkdown(findings(SUBJECTS), new Map());
  expect(text).toContain("| capabilities://skills | 90.00 | 0.50 | 5.10 | 2.00 | 99.00 | 0.50 | 12.00 | 2.00 |");
  expect(text).toContain("| 8 at a time, ms | 2,000 |");
  expect(text).toContain("| resources/list * | 1.00 | 9.00 | 9.00× |");
  const failed = { ...findings(SUBJECTS), compose: { failure: "no plug-in came" } };
  expect(writeMarkdown(failed, new Map())).toContain("compose: not measured: no plug-in came");
  expect(judgeGoals(failed).some(({ what }) => what.startsWith("capabilities"))).toBe(false);
});

test("each door is compared with its own long log, unless an answer was wrong", () => {
  const flatness = (little: number, much: number, wrong = 0): Flatness => ({
    little: { amount: 0, perSecond: little },
    much: { amount: 1_000_000, perSecond: much },
    wrong,
  });
  const judged = (wrong: number): unknown[] => {
    const events = { value: { mcp: flatness(1000, 890), chp: flatness(900, 810, wrong) } };
    const goals = judgeGoals({ ...findings(SUBJECTS), events });
    const name = "calls/s with 1,000,000 events in the log, to none";
    return goals.filter(({ what }) => what.startsWith(name)).map(({ reached }) => reached);
  };
  expect(judged(0)).toEqual([false, true]);
  expect(judged(1)).toEqual([null, null]);
});

test("the two doors are compared with each other by the middle of their rounds, unless an answer was wrong", () => {
  const rates = { rounds: 7, mcpPerSecond: 1000, chpPerSecond: 950, lowest: 0.8, highest: 1.1, hostIdsToMcp: 0.5 };
  const found = (chpToMcp: number, wrong = 0): Findings => ({
    ...findings(SUBJECTS),
    doors: { value: { ...rates, chpToMcp, wrong } },
  });
  const judged = (all: Findings): unknown[] => {
    const names = ["CHP to MCP", "the same, with ids that the host makes"];
    return judgeGoals(all)
      .filter(({ what }) => names.some((name) => what.startsWith(name)))
      .map(({ measured, reached }) => [measured, reached]);
  };
  expect(judged(found(0.9))).toEqual([
    ["0.90×", true],
    ["0.50×", null],
  ]);
  expect(judged(found(0.89))[0]).toEqual(["0.89×", false]);
  expect(judged(found(0.95, 1))).toEqual([
    ["–", null],
    ["–", null],
  ]);
  expect(writeMarkdown(found(0.9), new Map())).toContain(
    "| … CHP to MCP in the lowest and the highest of them | 0.80×, 1.10× |",
  );
});

test("a row with a wrong answer counts for no goal", () => {
  const spoilt = [
    ...SUBJECTS.filter(({ id }) => id !== "bailiwick"),
    subject("bailiwick", "bailiwick", () => load(9_000, { wrong: 1 })),
  ];
  expect(verdict(spoilt, "32 in flight, to the bare hop")).toBeNull();
});

test("the document names what failed and why", () => {
  const failed: SubjectFinding = { ...SUBJECTS[2]!, title: "gone", loads: { failure: "it ended; it said: a | b" } };
  const text = writeMarkdown(findings([...SUBJECTS, failed]), new Map());
  expect(text).toContain("gone: did not run: it ended; it said: a | b");
  expect(text).toContain("long log: not measured: the disk is full");
  expect(text).toContain("| 32 in flight, to the bare hop | ≥ 0.25× | 0.25× | reached |");
});

test("keeps what the run before measured of the goals", () => {
  const first = writeMarkdown(findings(SUBJECTS), new Map());
  const second = writeMarkdown(findings(SUBJECTS), readGoals(first));
  const [goal] = judgeGoals(findings(SUBJECTS));
  expect(readGoals(first).get(goal?.what ?? "")).toBe(goal?.measured);
  expect(second).toMatch(/\| what \| goal \| measured \| {2}\| the run before \|/);
  expect(readGoals("no report")).toEqual(new Map());
});
