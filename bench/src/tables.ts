/**
 * The findings as tables of text, the same for the terminal and for the document.
 */
import { agentTables } from "./agent-tables.ts";
import { composeTables } from "./compose-tables.ts";
import type { DoorsFinding, Findings, Flatness, ProfileFinding, SubjectFinding } from "./findings.ts";
import { judgeGoals, valueOf } from "./goals.ts";
import type { Load } from "./load.ts";
import { failureNote, number, type Table } from "./table.ts";

const megabytes = (bytes: number | null): string => (bytes === null ? "–" : number(bytes / 1_000_000));

const rateOf = (findings: Findings, id: string, inFlight: number): number | null => {
  const subject = findings.subjects.find((one) => one.id === id);
  const loads = subject === undefined ? null : valueOf(subject.loads);
  return loads?.find((one) => one.inFlight === inFlight)?.load.perSecond ?? null;
};

const callRow = (title: string, inFlight: number, load: Load, bare: number | null): string[] => [
  title,
  String(inFlight),
  number(load.perSecond),
  bare === null ? "–" : `${number(load.perSecond / bare, 2)}×`,
  number(load.p50Ms, 2),
  number(load.p99Ms, 2),
  load.cpuMicrosPerCall === null ? "–" : number(load.cpuMicrosPerCall),
  megabytes(load.rootRssBytes),
  megabytes(load.treeRssBytes),
  load.wrong === 0 ? "none" : `${load.wrong}: row void`,
];

const subjectRows = (findings: Findings, subject: SubjectFinding): string[][] => {
  if ("failure" in subject.loads) return [[subject.title, "–", "did not run", "", "", "", "", "", "", ""]];
  return subject.loads.value.map(({ inFlight, load }) =>
    callRow(subject.title, inFlight, load, rateOf(findings, "bare", inFlight)),
  );
};

const subjectNote = (subject: SubjectFinding): string[] => {
  if ("failure" in subject.loads) return [`${subject.title}: did not run: ${subject.loads.failure}`];
  const wrong = subject.loads.value.find(({ load }) => load.firstWrong !== null)?.load.firstWrong;
  const note = `${subject.title}: ${subject.note}.`;
  return wrong === undefined ? [note] : [note, `${subject.title}, first wrong answer: ${wrong}`];
};

const callsTable = (findings: Findings): Table => ({
  title: "One echo call",
  head: ["subject", "in flight", "calls/s", "to bare", "p50 ms", "p99 ms", "CPU µs/call", "RSS MB", "tree MB", "wrong"],
  rows: findings.subjects.flatMap((subject) => subjectRows(findings, subject)),
  notes: findings.subjects.flatMap(subjectNote),
});

/** What an earlier report measured, by the name of the goal. */
export type Earlier = ReadonlyMap<string, string>;

const goalsTable = (findings: Findings, earlier: Earlier): Table => ({
  title: "Goals",
  head: ["what", "goal", "measured", "", "the run before"],
  rows: judgeGoals(findings).map(({ what, goal, measured, reached }) => [
    what,
    goal,
    measured,
    reached === null ? "" : reached ? "reached" : "missed",
    earlier.get(what) ?? "",
  ]),
  notes: [],
});

const flatRow = (what: string, flatness: Flatness): string[][] =>
  [flatness.little, flatness.much].map(({ amount, perSecond }) => [
    `calls/s at 32 in flight, ${number(amount)} ${what}`,
    number(perSecond),
  ]);

const doorRows = (doors: DoorsFinding | null): string[][] => {
  if (doors === null) return [];
  const { rounds, mcpPerSecond, chpPerSecond, lowest, highest } = doors;
  const at = `calls/s at 32 in flight, the middle of ${rounds} rounds with hosts of their own`;
  return [
    [`${at}, MCP`, number(mcpPerSecond)],
    [`${at}, CHP`, number(chpPerSecond)],
    ["… CHP to MCP in the lowest and the highest of them", `${number(lowest, 2)}×, ${number(highest, 2)}×`],
  ];
};

const governanceRows = (findings: Findings): string[][] => {
  const verify = valueOf(findings.verify);
  const policy = valueOf(findings.policy);
  const approvals = valueOf(findings.approvals);
  const gate = valueOf(findings.gate);
  const rows: string[][] = [];
  if (verify !== null) {
    const what = `evidence verify, signed export of ${number(verify.events)} events, CPU µs an event`;
    rows.push([what, number(verify.microsPerEvent, 1)]);
  }
  if (policy !== null) {
    rows.push([`policy, ${policy.rules} rules, CPU µs a decision`, number(policy.microsPerDecision, 2)]);
    rows.push(["policy, nothing configured, CPU µs a decision", number(policy.microsUnconfigured, 2)]);
  }
  if (gate !== null) {
    const what = `environment capabilities, a tool that requires ${gate.required}, CPU µs a call`;
    rows.push([what, number(gate.microsRequiring, 2)]);
    rows.push(["environment capabilities, a tool that requires none, CPU µs a call", number(gate.microsPlain, 2)]);
  }
  if (approvals !== null) {
    const left = `${number(approvals.pending)} pending approvals that nobody waits for`;
    rows.push([`${left}: sockets, timers`, `${approvals.sockets}, ${approvals.timers}`]);
    rows.push([`${left}: memory of the main thread, bytes each`, number(approvals.bytesEach)]);
  }
  return rows;
};

const hostTable = (findings: Findings): Table => {
  const { list, tools, doors, events, workspaces, start } = findings;
  const listed = valueOf(list);
  const started = valueOf(start);
  const compared = { tools: valueOf(tools), logs: valueOf(events), workspaces: valueOf(workspaces) };
  return {
    title: "Bailiwick alone",
    head: ["what", "measured"],
    rows: [
      ...(listed === null
        ? []
        : [[`tools/list of ${number(listed.tools)} tools, p50 ms`, number(listed.load.p50Ms, 2)]]),
      ...(compared.tools === null ? [] : flatRow("tools", compared.tools)),
      ...doorRows(valueOf(doors)),
      ...(compared.logs === null
        ? []
        : [
            ...flatRow("events in the log", compared.logs.mcp),
            ...flatRow("events in the log, CHP", compared.logs.chp),
          ]),
      ...(compared.workspaces === null ? [] : flatRow("workspaces on disk", compared.workspaces)),
      ...governanceRows(findings),
      ...(started === null
        ? []
        : [
            ["start on an empty work directory until it listens, ms", number(started.listeningMs)],
            ["… until the first tools/list is answered, ms", number(started.firstListMs)],
            ["… until the bundle's tool is in it, ms", number(started.firstToolMs)],
            ["idle, host process, MB", megabytes(started.idleRssBytes)],
            ["idle, host and bundle, MB", megabytes(started.idleTreeRssBytes)],
          ]),
    ],
    notes: [
      ...failureNote("tools/list", list),
      ...failureNote("many tools", tools),
      ...failureNote("doors", doors),
      ...failureNote("long log", events),
      ...failureNote("many workspaces", workspaces),
      ...failureNote("evidence verify", findings.verify),
      ...failureNote("policy", findings.policy),
      ...failureNote("environment capabilities", findings.gate),
      ...failureNote("pending approvals", findings.approvals),
      ...failureNote("start", start),
    ],
  };
};

const PROFILED =
  "64 in flight, durable, under the sampling profiler, which slows it; own code includes the native code it calls itself " +
  "(SQLite, hashes); node is what no room called: sockets, the HTTP parser, the event loop.";

const profileTable = (profile: ProfileFinding): Table => ({
  title: `Where the time goes: ${profile.thread}, busy ${number(profile.busyShare * 100)} %`,
  head: ["room", "own code, µs/call", "Node for it, µs/call"],
  rows: profile.rows.slice(0, 16).map((row) => [row.where, number(row.ownMicros, 1), number(row.nodeMicros, 1)]),
  notes: [PROFILED],
});

export const makeTables = (findings: Findings, earlier: Earlier): Table[] =>
  [
    callsTable(findings),
    goalsTable(findings, earlier),
    hostTable(findings),
    ...agentTables(findings),
    ...composeTables(findings),
    ...(valueOf(findings.profile) ?? []).map(profileTable),
    { title: "Profile", head: [], rows: [], notes: failureNote("profile", findings.profile) },
  ].filter((table) => table.rows.length > 0 || table.notes.length > 0);
