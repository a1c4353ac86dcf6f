/** Many principals, their held calls, and retries of every wrong kind in between: each sees its own and nothing else. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { askingCall } from "./asking-call-for-tests.ts";
import { knock, modern, type Said } from "./client-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";
import { META_CAPABILITIES } from "./protocol.ts";

const PEOPLE = 4;
const _meta = { [META_CAPABILITIES]: { elicitation: {} } };

type Trick = "none" | "stolen" | "altered" | "foreign-arguments" | "foreign-method";
type Step =
  | { readonly do: "start"; readonly who: number; readonly rounds: number; readonly wide: number }
  | {
      readonly do: "retry";
      readonly which: number;
      readonly trick: Trick;
      readonly part: boolean;
      readonly twice: boolean;
    };

/** A state that was given out. */
interface Issued {
  readonly who: number;
  readonly mark: string;
  readonly params: { readonly name: string; readonly arguments: object };
  readonly state: string;
  readonly keys: readonly string[];
  /** How often it was brought back rightly, and how often that was taken. */
  tried: number;
  accepted: number;
}

const steps = fc.array(
  fc.array(
    fc.oneof(
      fc.record({
        do: fc.constant("start" as const),
        who: fc.nat(PEOPLE - 1),
        rounds: fc.integer({ min: 1, max: 3 }),
        wide: fc.integer({ min: 1, max: 2 }),
      }),
      fc.record({
        do: fc.constant("retry" as const),
        which: fc.nat(1000),
        trick: fc.constantFrom<Trick>(
          "none",
          "none",
          "none",
          "stolen",
          "altered",
          "foreign-arguments",
          "foreign-method",
        ),
        part: fc.boolean(),
        twice: fc.boolean(),
      }),
    ),
    { minLength: 1, maxLength: 6 },
  ),
  { minLength: 2, maxLength: 8 },
);

const keyOf = (who: number): string => (who === 0 ? OWNER : `key-${who}`);
const ask = (door: TestDoor, who: number, method: string, params: object): Promise<Said> =>
  knock(door.origin, modern(method, { ...params, _meta }, { authorization: `Bearer ${keyOf(who)}` }));

const marksIn = (text: string): string[] => [...new Set(text.match(/<<\d+:\d+>>/g))];

/** Every text that somebody hears bears only the mark of the call it belongs to. */
const take = (issued: Issued[], who: number, call: Pick<Issued, "mark" | "params">, said: Said): boolean => {
  const { result } = said.json;
  if (result === undefined) {
    expect(said.json.error.data.reason).toBe("invalid_request_state");
    expect(marksIn(said.text)).toEqual([]);
    return false;
  }
  expect(marksIn(said.text)).toEqual([call.mark]);
  expect(call.mark.startsWith(`<<${who}:`)).toBe(true);
  if (result.resultType === "input_required") {
    const { requestState: state, inputRequests } = result;
    issued.push({
      who,
      mark: call.mark,
      params: call.params,
      state,
      keys: Object.keys(inputRequests),
      tried: 0,
      accepted: 0,
    });
  }
  return true;
};

const run = async (door: TestDoor, batches: readonly (readonly Step[])[]): Promise<void> => {
  const issued: Issued[] = [];
  let calls = 0;

  const start = async ({ who, rounds, wide }: Extract<Step, { do: "start" }>): Promise<void> => {
    const mark = `<<${who}:${++calls}>>`;
    const asked = Array.from({ length: rounds }, () => Array.from({ length: wide }, () => ({ message: mark })));
    const params = { name: "t", arguments: { rounds: asked } };
    expect(take(issued, who, { mark, params }, await ask(door, who, "tools/call", params))).toBe(true);
  };

  const retry = async ({ which, trick, part, twice }: Extract<Step, { do: "retry" }>): Promise<void> => {
    const from = issued[which % Math.max(issued.length, 1)];
    if (from === undefined) return;
    const who = trick === "stolen" ? (from.who + 1) % PEOPLE : from.who;
    const keys = part ? from.keys.slice(1) : from.keys;
    const params = {
      ...from.params,
      ...(trick === "foreign-arguments" && { arguments: { rounds: [] } }),
      inputResponses: Object.fromEntries(keys.map((key) => [key, { action: "accept", content: { mark: from.mark } }])),
      requestState: trick === "altered" ? from.state.replace(/.$/, (last) => (last === "A" ? "B" : "A")) : from.state,
    };
    const method = trick === "foreign-method" ? "prompts/get" : "tools/call";
    const send = async (): Promise<void> => {
      if (!take(issued, who, from, await ask(door, who, method, params))) return;
      expect(trick).toBe("none");
      from.accepted++;
    };
    if (trick === "none") from.tried++;
    await Promise.all(twice ? [send(), send()] : [send()]);
  };

  for (const batch of batches) {
    await Promise.all(batch.map((step) => (step.do === "start" ? start(step) : retry(step))));
    for (const { tried, accepted } of issued) expect(accepted).toBe(Math.min(tried, 1));
  }
  expect(door.calls).toHaveLength(calls);
};

it("nobody sees another's question or answer, no state works twice, nothing stays", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (batches) => {
      const door = await openTestDoor({ handleCall: askingCall });
      const owner = door.principals.get(OWNER)!;
      for (let who = 1; who < PEOPLE; who++) door.principals.set(keyOf(who), { ...owner, id: `person:${who}` });
      try {
        await run(door, batches);
      } finally {
        await door.listener.close();
      }
      expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 });
      expect(door.bugs).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

it("64 calls of one principal are held, the next goes on without an answer, another's is held", async () => {
  const door = await openTestDoor({ handleCall: askingCall });
  const owner = door.principals.get(OWNER)!;
  door.principals.set(keyOf(1), { ...owner, id: "person:1" });
  const params = { name: "t", arguments: { rounds: [[{}]] } };
  const said = await Promise.all(Array.from({ length: 70 }, () => ask(door, 0, "tools/call", params)));
  const types = said.map(({ json }) => json.result.resultType);
  expect(types.filter((type) => type === "input_required")).toHaveLength(64);
  expect(said.flatMap(({ json }) => json.result.said ?? [])).toEqual(
    Array.from({ length: 6 }, () => ({ action: "cancel" })),
  );
  expect((await ask(door, 1, "tools/call", params)).json.result.resultType).toBe("input_required");
  await door.listener.close();
  expect(door.listener.load().calls).toBe(0);
});
