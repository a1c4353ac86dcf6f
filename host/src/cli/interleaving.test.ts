/**
 * Many principals over one host, calls that wait for answers, and retries of every wrong kind between them. Every text bears
 * the mark of the one call it belongs to, so that whatever reaches the wrong one is seen.
 */
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { UPSTREAMS, type Upstream } from "./fidelity-cells-for-tests.ts";
import type { Talk } from "./fidelity-cells-wire-for-tests.ts";
import {
  answersTo,
  marksIn,
  newMark,
  openPeople,
  scriptFor,
  type People,
  type Said,
  type Wish,
} from "./interleaving-for-tests.ts";
import { tellCalls, WHOLE } from "./matrix-evidence-for-tests.ts";

const PEOPLE = 5;
const RUNS = 12;
const PAUSE_MS = 150;
const TRICKS = [
  "none",
  "none",
  "none",
  "stolen",
  "altered",
  "foreign-arguments",
  "foreign-tool",
  "foreign-method",
  "foreign-endpoint",
] as const;
type Trick = (typeof TRICKS)[number];

interface Start {
  readonly do: "start";
  /** Of the client; only a modern one gets states. */
  readonly era: "legacy" | "modern";
  readonly who: number;
  readonly upstream: Upstream;
  readonly rounds: number;
  readonly wide: number;
}

interface Retry {
  readonly do: "retry";
  /** Counted from the newest, so that states that were used up are tried as well as those that wait. */
  readonly which: number;
  readonly trick: Trick;
  readonly twice: boolean;
}

/** A call, and the states that were given out for it. */
interface Call {
  readonly who: number;
  readonly mark: string;
  readonly upstream: Upstream;
  readonly wish: Wish;
  /** How often the server must have got it. */
  sends: number;
}

interface Issued {
  readonly call: Call;
  readonly state: string;
  readonly responses: Readonly<Record<string, unknown>>;
  tried: number;
  accepted: number;
}

const batches = fc.array(
  fc.array(
    fc.oneof(
      fc.record<Start>({
        do: fc.constant("start"),
        era: fc.constantFrom("legacy", "modern", "modern"),
        who: fc.nat(PEOPLE - 1),
        upstream: fc.constantFrom(...UPSTREAMS),
        rounds: fc.integer({ min: 1, max: 2 }),
        wide: fc.integer({ min: 1, max: 2 }),
      }),
      fc.record<Retry>({
        do: fc.constant("retry"),
        which: fc.nat(20),
        trick: fc.constantFrom(...TRICKS),
        twice: fc.boolean(),
      }),
    ),
    { minLength: 3, maxLength: 8 },
  ),
  { minLength: 3, maxLength: 6 },
);

let people: People;
const started: Call[] = [];
const tally = { asked: 0, refused: 0, conversed: 0 };

beforeAll(async () => {
  people = await openPeople(PEOPLE);
  return () => people.stop();
});

const isHeld = ({ upstream }: Call): boolean => upstream.startsWith("legacy");

/** On a pipe nothing says whose question it is, so that of calls of one principal the newest is asked. */
const maySee = ({ who, mark, upstream }: Call, seen: string): boolean =>
  upstream === "legacy-stdio" ? seen.startsWith(`<<${who}:`) : seen === mark;

/** Files what somebody heard; true: it was of the call. */
const take = (issued: Issued[], call: Call, said: Said): boolean => {
  if (said.result === undefined) {
    expect(said.error).toMatchObject({ code: -32602, data: { reason: "invalid_request_state" } });
    expect(marksIn(said.text)).toEqual([]);
    tally.refused++;
    return false;
  }
  expect(marksIn(said.text).filter((mark) => !maySee(call, mark))).toEqual([]);
  const { requestState: state } = said.result;
  if (state === undefined) return true;
  tally.asked++;
  issued.push({ call, state, responses: answersTo(said), tried: 0, accepted: 0 });
  return true;
};

/** A legacy client answers every question with the mark that it bears. */
const converse = async (call: Call): Promise<void> => {
  const { name, arguments: args } = call.wish.params;
  const params = `"name":"${name}","arguments":${JSON.stringify(args)}`;
  const talk = people.talks[call.who] as Talk;
  const answer = (_nth: number, asked: string): string =>
    `"result":{"action":"accept","content":{"mark":"${marksIn(asked)[0]}"}}`;
  const { said, asked } = await talk({ method: "tools/call", params }, answer);
  expect(marksIn(`${said} ${asked.join(" ")}`).filter((mark) => !maySee(call, mark))).toEqual([]);
  tally.conversed += asked.length;
};

const start = async (issued: Issued[], { who, era, upstream, rounds, wide }: Start): Promise<void> => {
  const mark = newMark(who);
  const params = { name: `${upstream}__script`, arguments: scriptFor(mark, rounds, wide) };
  const call: Call = { who, mark, upstream, wish: { method: "tools/call", endpoint: null, params }, sends: 1 };
  started.push(call);
  if (era === "modern") expect(take(issued, call, await people.ask(who, call.wish))).toBe(true);
  else await converse(call);
  // To a server that asks by its results, a legacy client's answers are further sends.
  if (era === "legacy" && !isHeld(call)) call.sends += rounds;
};

const other = (upstream: Upstream): Upstream => UPSTREAMS.find((each) => each !== upstream) as Upstream;

const bend = ({ call, state, responses }: Issued, trick: Trick): Wish => {
  const { wish, upstream } = call;
  const params = { ...wish.params, inputResponses: responses, requestState: state };
  if (trick === "altered") {
    return { ...wish, params: { ...params, requestState: state.replace(/.$/, (last) => (last === "A" ? "B" : "A")) } };
  }
  if (trick === "foreign-arguments") {
    return { ...wish, params: { ...params, arguments: scriptFor(call.mark, 0, 0) } };
  }
  if (trick === "foreign-tool") return { ...wish, params: { ...params, name: `${other(upstream)}__script` } };
  if (trick === "foreign-method") return { ...wish, method: "prompts/get", params };
  if (trick === "foreign-endpoint") return { ...wish, endpoint: upstream, params: { ...params, name: "script" } };
  return { ...wish, params };
};

const retry = async (issued: Issued[], from: Issued, { trick, twice }: Omit<Retry, "do" | "which">): Promise<void> => {
  const { call } = from;
  const who = trick === "stolen" ? (call.who + 1) % PEOPLE : call.who;
  const send = async (): Promise<void> => {
    if (trick === "none") from.tried++;
    if (!take(issued, call, await people.ask(who, bend(from, trick)))) return;
    expect(trick).toBe("none");
    from.accepted++;
    if (!isHeld(call)) call.sends++;
  };
  await Promise.all(twice ? [send(), send()] : [send()]);
};

/** A held call goes on once with each of its states; the state of a modern server may come back as often as one likes. */
const checkUse = (issued: readonly Issued[]): void => {
  for (const { call, tried, accepted } of issued) expect(accepted).toBe(isHeld(call) ? Math.min(tried, 1) : tried);
};

/** A call may wait for what another call of its principal was asked, so that nothing waits for all of a batch. */
const createCrew = () => {
  const working = new Set<Promise<void>>();
  const wrong: unknown[] = [];
  return {
    working,
    begin(work: Promise<void>): void {
      const done = work.catch((error: unknown) => void wrong.push(error)).finally(() => working.delete(done));
      working.add(done);
    },
    async pause(): Promise<void> {
      await Promise.race([Promise.all(working), sleep(PAUSE_MS)]);
      if (wrong.length > 0) throw wrong[0];
    },
  };
};

const run = async (steps: readonly (readonly (Start | Retry)[])[]): Promise<void> => {
  const issued: Issued[] = [];
  const crew = createCrew();
  for (const batch of steps) {
    for (const step of batch) {
      const from = step.do === "start" ? null : issued.at(-1 - (step.which % Math.max(issued.length, 1)));
      if (step.do === "start") crew.begin(start(issued, step));
      else if (from) crew.begin(retry(issued, from, step));
    }
    await crew.pause();
  }
  for (let open = issued; crew.working.size > 0 || open.length > 0; await crew.pause()) {
    open = issued.filter(({ tried }) => tried === 0);
    for (const each of open) crew.begin(retry(issued, each, { trick: "none", twice: false }));
  }
  checkUse(issued);
};

/** What the server was sent for a call. */
const linesOf = async ({ who, mark, upstream }: Call): Promise<readonly string[]> => {
  const params = { name: `${upstream}__heard`, arguments: { mark } };
  const { result } = await people.ask(who, { method: "tools/call", endpoint: null, params });
  return result?.lines ?? [];
};

describe("many principals, their questions and their answers", () => {
  it(
    "nobody is shown or answered what is another's, whatever state is brought back",
    { timeout: 120_000 },
    async () => {
      await fc.assert(fc.asyncProperty(batches, run), { numRuns: RUNS, endOnFailure: true });
      expect(tally.asked).toBeGreaterThan(RUNS);
      expect(tally.refused).toBeGreaterThan(RUNS);
      expect(tally.conversed).toBeGreaterThan(RUNS);
    },
  );

  it("every call was sent once, and every answer reached the call that asked for it", { timeout: 60_000 }, async () => {
    for (const call of started) {
      const lines = await linesOf(call);
      expect(lines.filter((line) => line.includes('"method":"tools/call"'))).toHaveLength(call.sends);
      expect(new Set(lines.flatMap(marksIn))).toEqual(new Set([call.mark]));
    }
  });

  it("the evidence holds one intent and one outcome of every call", { timeout: 60_000 }, async () => {
    const told = await tellCalls(people.host);
    expect(told.filter((line) => !WHOLE.test(line))).toEqual([]);
    for (const upstream of ["legacy-stdio", "legacy-http"] as const) {
      const scripts = told.filter((line) => line.startsWith(`${upstream}__script: `));
      expect(scripts).toHaveLength(started.filter((call) => call.upstream === upstream).length);
    }
    expect(await people.host.run("evidence", "verify")).toMatchObject({ code: 0 });
  });
});
