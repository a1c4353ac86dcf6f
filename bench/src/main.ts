/**
 * `npm run bench`: runs every part, prints the findings, and after a whole run writes docs/benchmarks.md. Slow is a finding;
 * only a wrong answer, or a Bailiwick that does not run, is a failure.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { BAILIWICK_SUBJECTS } from "./bailiwick.ts";
import { compareDoors } from "./compare-doors.ts";
import type { Findings, Found, SubjectFinding } from "./findings.ts";
import { valueOf } from "./goals.ts";
import { closeDown, stopAll } from "./launch.ts";
import { measureAgent } from "./measure-agent.ts";
import { measureApprovals } from "./measure-approvals.ts";
import { measureCompose } from "./measure-compose.ts";
import { measureFsync } from "./measure-fsync.ts";
import { measureGate } from "./measure-gate.ts";
import { measurePolicy } from "./measure-policy.ts";
import { measureSearch } from "./measure-search.ts";
import { measureStart } from "./measure-start.ts";
import { measureVerify } from "./measure-verify.ts";
import { median } from "./median.ts";
import { middleOfRounds } from "./middle-of-rounds.ts";
import { type Options, parseOptions, usage } from "./options.ts";
import { REPORT, SCRATCH } from "./places.ts";
import { profileHost } from "./profile-host.ts";
import { readGoals, writeMarkdown, writeText } from "./report.ts";
import { runSubject } from "./run-subject.ts";
import { compareEvents, compareTools, compareWorkspaces, measureList } from "./sections.ts";
import { BASELINES, GATEWAYS } from "./subjects.ts";
import { FULL, QUICK, type Timing } from "./timing.ts";

const SUBJECTS = [...BASELINES, ...BAILIWICK_SUBJECTS, ...GATEWAYS];
const SECTIONS =
  "list tools doors events workspaces verify policy gate approvals search agent compose start profile".split(" ");
const KNOWN = [...SUBJECTS.map(({ id }) => id), ...SECTIONS];
const RUN = join(SCRATCH, `run-${process.pid}`);

const say = (line: string): boolean => process.stderr.write(`${line}\n`);

const clean = async (): Promise<void> => {
  await closeDown();
  rmSync(RUN, { recursive: true, force: true });
};

const machine = (): Findings["machine"] => ({
  cores: cpus().length,
  processor: cpus()[0]?.model ?? "unknown",
  memoryBytes: totalmem(),
  system: `${type()} ${release()}`,
  node: process.versions.node,
});

type Section = <T>(id: string, run: (home: string, timing: Timing) => Promise<T>) => Promise<Found<T> | null>;

const createSection =
  (options: Options, timing: Timing): Section =>
  async (id, run) => {
    if (options.only !== null && !options.only.has(id)) return null;
    say(`bailiwick: ${id} …`);
    try {
      return { value: await run(join(RUN, id), timing) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) };
    } finally {
      await stopAll();
    }
  };

const runAll = async (options: Options): Promise<Findings> => {
  const timing = options.quick ? QUICK : FULL;
  const fsyncs = measureFsync(RUN);
  const asked = SUBJECTS.filter(({ id }) => options.only === null || options.only.has(id));
  const rounds = new Map<string, [SubjectFinding, ...SubjectFinding[]]>();
  for (let round = 1; round <= timing.rounds; round++) {
    for (const subject of asked) {
      say(`${subject.title}, round ${round} of ${timing.rounds} …`);
      const found = await runSubject(subject, join(RUN, `${subject.id}-${round}`), timing);
      const earlier = rounds.get(subject.id);
      if (earlier) earlier.push(found);
      else rounds.set(subject.id, [found]);
      if (subject.id === "bailiwick") fsyncs.push(...measureFsync(RUN));
    }
  }
  const subjects = [...rounds.values()].map(middleOfRounds);
  const section = createSection(options, timing);
  return {
    quick: options.quick,
    machine: machine(),
    fsyncMs: median(fsyncs),
    subjects,
    list: await section("list", measureList),
    tools: await section("tools", compareTools),
    doors: await section("doors", compareDoors),
    events: await section("events", compareEvents),
    workspaces: await section("workspaces", compareWorkspaces),
    verify: await section("verify", measureVerify),
    policy: await section("policy", measurePolicy),
    gate: await section("gate", measureGate),
    approvals: await section("approvals", measureApprovals),
    search: await section("search", measureSearch),
    agent: await section("agent", measureAgent),
    compose: await section("compose", measureCompose),
    start: await section("start", measureStart),
    profile: await section("profile", profileHost),
  };
};

const hasFailed = (findings: Findings): boolean => {
  const wrong = findings.subjects.some(
    ({ loads }) => "value" in loads && loads.value.some(({ load }) => load.wrong > 0),
  );
  const broken = findings.subjects.some(({ kind, loads }) => kind === "bailiwick" && "failure" in loads);
  const { list, tools, events, workspaces } = findings;
  const sections = Object.values(findings).some(
    (found) => typeof found === "object" && found !== null && "failure" in found,
  );
  const logs = valueOf(events);
  const astray = [valueOf(tools), valueOf(workspaces), valueOf(findings.doors), logs?.mcp, logs?.chp].some(
    (compared) => (compared?.wrong ?? 0) > 0,
  );
  const mislisted = list !== null && "value" in list && list.value.load.wrong > 0;
  return wrong || broken || sections || astray || mislisted;
};

const main = async (): Promise<number> => {
  const options = parseOptions(process.argv.slice(2), KNOWN);
  if (options.help) {
    process.stdout.write(`${usage(KNOWN)}\n`);
    return 0;
  }
  mkdirSync(RUN, { recursive: true });
  const findings = await runAll(options);
  const earlier = readGoals(existsSync(REPORT) ? readFileSync(REPORT, "utf8") : "");
  process.stdout.write(options.json ? `${JSON.stringify(findings, null, 2)}\n` : writeText(findings, earlier));
  if (options.quick || options.only !== null) {
    say("docs/benchmarks.md is left as it is: only a whole run (no --quick, no --only) writes it.");
  } else {
    writeFileSync(REPORT, writeMarkdown(findings, earlier));
    say("docs/benchmarks.md written.");
  }
  return hasFailed(findings) ? 1 : 0;
};

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    say("ending what was started …");
    void clean().finally(() => process.exit(130));
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
} finally {
  await clean();
}
