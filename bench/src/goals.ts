/**
 * The goals, each judged from the findings of one and the same run. Pure.
 */
import type { DoorsFinding, DoorsFlatness, Findings, Flatness, Found, SubjectFinding } from "./findings.ts";
import type { Load } from "./load.ts";

export interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  /** Null: not measured in this run, or nothing to reach. */
  readonly reached: boolean | null;
}

const MB = 1_000_000;

export const valueOf = <T>(found: Found<T> | null): T | null =>
  found !== null && "value" in found ? found.value : null;

/** A row with a wrong answer in it counts for nothing. */
const loadOf = (finding: SubjectFinding | undefined, inFlight: number): Load | null => {
  const load = valueOf(finding?.loads ?? null)?.find((one) => one.inFlight === inFlight)?.load;
  return load === undefined || load.wrong > 0 ? null : load;
};

/** The highest rate at 32 in flight among subjects of these kinds. */
const fastest = (findings: Findings, kinds: readonly string[]): { title: string; perSecond: number } | null => {
  const rated = findings.subjects
    .filter((subject) => kinds.includes(subject.kind))
    .map((subject) => ({ title: subject.title, load: loadOf(subject, 32) }))
    .flatMap(({ title, load }) => (load === null ? [] : [{ title, perSecond: load.perSecond }]));
  return rated.toSorted((a, b) => b.perSecond - a.perSecond)[0] ?? null;
};

interface Limit {
  readonly what: string;
  readonly measured: number | null | undefined;
  readonly unit: string;
  readonly digits?: number;
}

const show = (value: number, { unit, digits = 2 }: Limit): string => `${value.toFixed(digits)}${unit}`;

const atLeast = (limit: Limit, goal: number): Goal => judge(limit, `≥ ${show(goal, limit)}`, (value) => value >= goal);
const atMost = (limit: Limit, goal: number): Goal => judge(limit, `≤ ${show(goal, limit)}`, (value) => value <= goal);

/** With nothing to reach. */
const shown = (limit: Limit): Goal => ({ ...judge(limit, "–", () => true), reached: null });

const judge = (limit: Limit, goal: string, test: (value: number) => boolean): Goal => {
  const { what, measured } = limit;
  if (measured === null || measured === undefined) return { what, goal, measured: "–", reached: null };
  return { what, goal, measured: show(measured, limit), reached: test(measured) };
};

const ratio = (a: number | null | undefined, b: number | null | undefined): number | null => (a && b ? a / b : null);

/** Wrong answers count for nothing here either. */
const cleanLogs = (findings: Findings): DoorsFlatness | null => {
  const logs = valueOf(findings.events);
  return logs === null || logs.mcp.wrong + logs.chp.wrong > 0 ? null : logs;
};

const cleanDoors = (findings: Findings): DoorsFinding | null => {
  const doors = valueOf(findings.doors);
  return doors === null || doors.wrong > 0 ? null : doors;
};

const longLog = (door: string, events: Flatness | undefined): Limit => ({
  what: `calls/s with ${(events?.much.amount ?? 1_000_000).toLocaleString("en")} events in the log, to none${door}`,
  measured: ratio(events?.much.perSecond, events?.little.perSecond),
  unit: "×",
});

const callGoals = (findings: Findings): Goal[] => {
  const find = (id: string): SubjectFinding | undefined => findings.subjects.find((subject) => subject.id === id);
  const rate = (id: string, inFlight: number): number | undefined => loadOf(find(id), inFlight)?.perSecond;
  const cpu = (inFlight: number): number | null | undefined => loadOf(find("bailiwick"), inFlight)?.cpuMicrosPerCall;
  const gateway = fastest(findings, ["gateway"]);
  const anyDoor = fastest(findings, ["gateway", "gateway-sse"]);
  const mine = loadOf(find("bailiwick"), 1)?.p50Ms;
  const bare = loadOf(find("bare"), 1)?.p50Ms;
  const added = mine === undefined || bare === undefined ? null : mine - bare;
  const x = (what: string, measured: number | null): Limit => ({ what, measured, unit: "×" });
  const doors = cleanDoors(findings);
  const other = ratio(rate("bailiwick", 32), anyDoor?.perSecond);
  return [
    atLeast(
      x(
        `32 in flight, to the fastest gateway (${gateway?.title ?? "none ran"})`,
        ratio(rate("bailiwick", 32), gateway?.perSecond),
      ),
      2.5,
    ),
    shown(x(`the same, to the fastest with its old SSE door (${anyDoor?.title ?? "none ran"})`, other)),
    atLeast(x("32 in flight, to the bare hop", ratio(rate("bailiwick", 32), rate("bare", 32))), 0.25),
    atLeast(x("64 in flight, to the bare hop", ratio(rate("bailiwick", 64), rate("bare", 64))), 0.33),
    atLeast(x("64 in flight, batched, to the bare hop", ratio(rate("batched", 64), rate("bare", 64))), 0.45),
    atMost({ what: "CPU a call, whole tree, 32 in flight", measured: cpu(32), unit: " µs", digits: 0 }, 230),
    atMost({ what: "CPU a call, whole tree, 64 in flight", measured: cpu(64), unit: " µs", digits: 0 }, 200),
    atLeast(x("CHP to MCP, 32 in flight", doors?.chpToMcp ?? null), 0.9),
    shown(x("the same, with ids that the host makes", doors?.hostIdsToMcp ?? null)),
    atMost(
      { what: "added p50 at 1 in flight (two fsyncs + 0.4 ms)", measured: added, unit: " ms" },
      2 * findings.fsyncMs + 0.4,
    ),
  ];
};

const hostGoals = (findings: Findings): Goal[] => {
  const tools = valueOf(findings.tools);
  const logs = cleanLogs(findings);
  const workspaces = valueOf(findings.workspaces);
  const start = valueOf(findings.start);
  const mb = start === null ? null : start.idleRssBytes / MB;
  return [
    atMost({ what: "tools/list of 1,000 tools, p50", measured: valueOf(findings.list)?.load.p50Ms, unit: " ms" }, 2),
    atLeast(
      {
        what: "calls/s with 10,000 tools, to 10",
        measured: ratio(tools?.much.perSecond, tools?.little.perSecond),
        unit: "×",
      },
      0.9,
    ),
    atLeast(longLog("", logs?.mcp), 0.9),
    atLeast(longLog(", CHP", logs?.chp), 0.9),
    atLeast(
      {
        what: "calls/s with 300 workspaces on disk, to one",
        measured: ratio(workspaces?.much.perSecond, workspaces?.little.perSecond),
        unit: "×",
      },
      0.9,
    ),
    atMost({ what: "cold start until it listens", measured: start?.listeningMs, unit: " ms", digits: 0 }, 500),
    atMost({ what: "first tools/list after the start", measured: start?.firstListMs, unit: " ms", digits: 0 }, 500),
    atMost({ what: "memory of the idle host, one bundle", measured: mb, unit: " MB", digits: 0 }, 90),
  ];
};

const governanceGoals = (findings: Findings): Goal[] => {
  const policy = valueOf(findings.policy);
  const approvals = valueOf(findings.approvals);
  const gate = valueOf(findings.gate)?.microsRequiring;
  const left = (what: string, measured: number | undefined): Limit => ({
    what: `${what} left by all pending approvals that nobody waits for`,
    measured,
    unit: "",
    digits: 0,
  });
  const micros = { unit: " µs", digits: 1 };
  const perEvent = valueOf(findings.verify)?.microsPerEvent;
  return [
    atMost({ what: "evidence verify, CPU an event", measured: perEvent, ...micros }, 10),
    atMost({ what: "policy with 100 rules, CPU a decision", measured: policy?.microsPerDecision, ...micros }, 20),
    atMost({ what: "environment capabilities, CPU a call", measured: gate, ...micros, digits: 2 }, 2),
    atMost(left("sockets", approvals?.sockets), 0),
    atMost(left("timers", approvals?.timers), 1),
  ];
};

const searchGoals = (findings: Findings): Goal[] => {
  const search = valueOf(findings.search);
  const tools = (search?.index.tools ?? 10_000).toLocaleString("en");
  const found = search?.index.recall;
  const plain = search?.index.recallPlain;
  // What is not better than a plain search is no search.
  const toPlain: Limit = { what: "the same, to a plain search", measured: ratio(found, plain), unit: "×" };
  return [
    atLeast({ what: "tools found among the first five, share of the questions", measured: found, unit: "" }, 0.9),
    judge(toPlain, `> ${show(1, toPlain)}`, (value) => value > 1),
    atMost({ what: `a query of the index with ${tools} tools, p99`, measured: search?.index.p99Ms, unit: " ms" }, 5),
    atMost(
      { what: `nb__discover_tools itself with ${tools} tools, p99`, measured: search?.tool.p99Ms, unit: " ms" },
      5,
    ),
  ];
};

const composeGoals = (findings: Findings): Goal[] => {
  const compose = valueOf(findings.compose);
  if (compose === null) return [];
  const { reads, batch, versions } = compose;
  const ms = { unit: " ms" };
  const amount = versions.versions.toLocaleString("en");
  return [
    ...reads.documents.map(({ uri, made }) =>
      atMost({ what: `${uri} where it is made, p99`, measured: made.p99Ms, ...ms }, 5),
    ),
    ...reads.documents.flatMap(({ uri, targetMs, sent }) =>
      targetMs === null
        ? []
        : [atMost({ what: `${uri} at the client, the first`, measured: sent.coldMs, ...ms, digits: 0 }, targetMs)],
    ),
    atLeast(
      {
        what: `a batch of ${batch.items}, ${batch.workers} at a time, to one after another`,
        measured: ratio(batch.sequentialMs, batch.parallelMs),
        unit: "×",
      },
      5,
    ),
    ...versions.rows
      .filter(({ isList }) => !isList)
      .map(({ what, noneMs, manyMs }) =>
        atMost({ what: `${what}, ${amount} stored versions to none`, measured: ratio(manyMs, noneMs), unit: "×" }, 1.1),
      ),
  ];
};

export const judgeGoals = (findings: Findings): Goal[] => [
  ...callGoals(findings),
  ...hostGoals(findings),
  ...governanceGoals(findings),
  ...searchGoals(findings),
  ...composeGoals(findings),
];
