import { afterEach, describe, expect, it } from "vitest";
import type { ProviderAnswer } from "../../kernel/provider.ts";
import type { Connection, ConnectionLimits } from "../connection.ts";
import { createAsker, elicit, seenBy, type TestAsker } from "./asker-for-tests.ts";
import { connectStdio } from "./connect-stdio.ts";
import { call, fixture, LIMITS, NO_EVENTS, startProcess, type TestProcess } from "./process-for-tests.ts";

const running: TestProcess[] = [];
let marks = 0;

const connect = async (limits: Partial<ConnectionLimits> = {}): Promise<Connection> => {
  const child = startProcess([fixture("asking-server.mjs"), "stdio"]);
  running.push(child);
  return connectStdio(child, {
    limits: { ...LIMITS, ...limits },
    events: { ...NO_EVENTS, asksShared: () => marks++ },
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
};

interface Caller extends TestAsker {
  readonly owner: string;
  /** As whom it calls. */
  readonly as: { readonly asker: TestAsker; readonly owner: string };
  /** Calls a tool that asks these, one after the other. */
  rounds(...ids: readonly string[]): Promise<ProviderAnswer>;
}

const callerOf = (server: Connection, owner: string, declared = "{}"): Caller => {
  const asker = createAsker(declared);
  const as = { asker, owner };
  const rounds = (...ids: readonly string[]): Promise<ProviderAnswer> =>
    call(server, "rounds", JSON.stringify({ questions: ids.map((id) => elicit(id)) }), as);
  return { ...asker, owner, as, rounds };
};

const asked = ({ asked: all }: TestAsker): string[] =>
  all.map(({ params }) => (JSON.parse(params) as { message: string }).message);
const release = async (server: Connection): Promise<unknown> => call(server, "release", "{}", { owner: "test" });

const callsSeen = async (server: Connection): Promise<number> =>
  (await seenBy(server)).filter((text) => text.includes('"tools/call"')).length;

afterEach(async () => {
  marks = 0;
  await Promise.all(running.splice(0).map((child) => child.stop()));
});

describe("a question over a shared pipe", () => {
  it("is nobody's beside another caller's call that is parked, which may ask more", async () => {
    const server = await connect();
    const [ann, bob] = [callerOf(server, "ann"), callerOf(server, "bob")];
    const parked = ann.rounds("a1");
    await expect.poll(() => asked(ann)).toEqual(["a1"]);
    ann.park(true);
    expect((await bob.rounds("b1", "b2")).json.match(/"code":-32600/g)).toHaveLength(2);
    expect([asked(bob), marks]).toEqual([[], 1]);
    ann.answer("{}");
    await parked;
  });

  it("is the one parked call's when nothing else runs", async () => {
    const server = await connect();
    const ann = callerOf(server, "ann");
    const two = JSON.stringify({ questions: [elicit("a1"), elicit("a2")] });
    const parked = call(server, "ask", two, ann.as);
    ann.park(true);
    await expect.poll(() => asked(ann)).toEqual(["a1", "a2"]);
    ann.answer("{}");
    ann.answer("{}");
    await parked;
  });

  it("is the newest call's when all are one caller's", async () => {
    const server = await connect();
    const [old, young] = [callerOf(server, "ann"), callerOf(server, "ann")];
    const first = call(server, "silent", "{}", old.as);
    const second = young.rounds("q1");
    await expect.poll(() => asked(young)).toEqual(["q1"]);
    young.answer("{}");
    await second;
    await release(server);
    await first;
    expect(asked(old)).toEqual([]);
    expect(marks).toBe(0);
  });

  it("is nobody's when calls of several callers run, and the provider is marked once", async () => {
    const server = await connect();
    const [ann, bob] = [callerOf(server, "ann"), callerOf(server, "bob")];
    const first = call(server, "silent", "{}", ann.as);
    const { json } = await bob.rounds("q1", "q2");
    expect(json.match(/"code":-32600/g)).toHaveLength(2);
    expect([asked(ann), asked(bob), marks]).toEqual([[], [], 1]);
    const freed = call(server, "echo", '{"text":"waited"}');
    await expect.poll(() => server.inFlight()).toBe(2);
    // The mark holds for this connection too: a further call waits, so the one that would free the first cannot go out.
    const child = running[0];
    child?.child.kill("SIGKILL");
    await expect(freed).rejects.toMatchObject({ kind: "not_ready" });
    await expect(first).rejects.toMatchObject({ kind: "indeterminate" });
  });

  it("about roots is answered by the host when none of the callers has any", async () => {
    const server = await connect();
    const [ann, bob] = [callerOf(server, "ann"), callerOf(server, "bob")];
    const first = call(server, "silent", "{}", ann.as);
    const roots = JSON.stringify({ questions: [{ id: "r", method: "roots/list" }] });
    const answer = await call(server, "ask", roots, bob.as);
    expect(answer.json).toContain('"result":{"roots":[]}');
    expect(marks).toBe(0);
    const rooted = callerOf(server, "cid", '{"roots":{}}');
    const refused = await call(server, "ask", roots, rooted.as);
    expect(refused.json).toContain('"code":-32600');
    expect([rooted.asked, marks]).toEqual([[], 1]);
    await Promise.allSettled([first, server.close("the test is over")]);
  });
});

describe("a provider marked as one that asks", () => {
  it("runs its calls one at a time, so that each question finds its caller", async () => {
    const server = await connect({ oneAtATime: () => true });
    const callers = ["ann", "bob", "cid"].map((owner) => callerOf(server, owner));
    const answers = callers.map((caller) => caller.rounds(`${caller.owner}1`, `${caller.owner}2`));
    for (const caller of callers) {
      await expect.poll(() => asked(caller)).toEqual([`${caller.owner}1`]);
      caller.answer("{}");
      await expect.poll(() => asked(caller)).toEqual([`${caller.owner}1`, `${caller.owner}2`]);
      caller.answer("{}");
    }
    expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(["result", "result", "result"]);
    expect(marks).toBe(0);
  });

  it("runs another call while one is parked, which goes on when that one has ended", async () => {
    const server = await connect({ oneAtATime: () => true });
    const [ann, bob] = [callerOf(server, "ann"), callerOf(server, "bob")];
    const parked = ann.rounds("a1", "a2");
    await expect.poll(() => asked(ann)).toEqual(["a1"]);
    let ended = false;
    const other = call(server, "slow", '{"ms":1500}', bob.as).then(() => (ended = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await callsSeen(server)).toBe(1);
    ann.park(true);
    await expect.poll(() => callsSeen(server)).toBe(2);
    // Ann is back with her answer, but Bob's call runs: a second question of hers could not be told from his.
    ann.park(false);
    ann.answer("{}");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([asked(ann), ended]).toEqual([["a1"], false]);
    await other;
    await expect.poll(() => asked(ann)).toEqual(["a1", "a2"]);
    ann.answer("{}");
    await parked;
    expect(marks).toBe(0);
  });

  it("ends a call that is back and waits for its turn when its caller cancels", async () => {
    const server = await connect({ oneAtATime: () => true });
    const ann = callerOf(server, "ann");
    const bob = callerOf(server, "bob");
    const gone = new AbortController();
    const args = JSON.stringify({ questions: [elicit("a1")] });
    const parked = call(server, "rounds", args, { ...ann.as, signal: gone.signal });
    await expect.poll(() => asked(ann)).toEqual(["a1"]);
    ann.park(true);
    const other = call(server, "silent", "{}", bob.as);
    await expect.poll(() => callsSeen(server)).toBe(2);
    ann.park(false);
    ann.answer("{}");
    gone.abort();
    expect((await parked).json).toContain('"id":"a1"');
    await Promise.allSettled([other, server.close("the test is over")]);
  });
});

describe("parked calls", () => {
  it("take nobody's place", async () => {
    const server = await connect({ concurrency: 2 });
    const ann = callerOf(server, "ann");
    const parked = [ann.rounds("a1"), ann.rounds("a2")];
    await expect.poll(() => asked(ann).toSorted()).toEqual(["a1", "a2"]);
    const waiting = call(server, "echo", '{"text":"through"}', { owner: "bob" });
    ann.park(true);
    expect((await waiting).json).toContain("through");
    ann.answer("{}");
    ann.answer("{}");
    await Promise.all(parked);
  });
});

describe("a log line over a shared pipe", () => {
  const tell = async (server: Connection, owner: string): Promise<string[]> => {
    const heard: string[] = [];
    await call(server, "tell", '{"text":"secret"}', { owner, listener: { log: (members) => heard.push(members) } });
    return heard;
  };

  it("is the one call's that runs, also beside parked ones of the same caller", async () => {
    const server = await connect();
    const ann = callerOf(server, "ann");
    const parked = ann.rounds("a1");
    await expect.poll(() => asked(ann)).toEqual(["a1"]);
    ann.park(true);
    expect(await tell(server, "ann")).toEqual(['"level":"info","data":"secret"']);
    ann.answer("{}");
    await parked;
  });

  it("is nobody's beside a parked call of another caller, whose it may be", async () => {
    const server = await connect();
    const ann = callerOf(server, "ann");
    const parked = ann.rounds("a1");
    await expect.poll(() => asked(ann)).toEqual(["a1"]);
    ann.park(true);
    expect(await tell(server, "bob")).toEqual([]);
    ann.answer("{}");
    await parked;
    expect(await tell(server, "bob")).toHaveLength(1);
  });

  it("is nobody's while a call that another caller gave up may still be running", async () => {
    const server = await connect();
    const controller = new AbortController();
    const given = call(server, "silent", "{}", { owner: "ann", signal: controller.signal }).catch(() => null);
    await expect.poll(() => callsSeen(server)).toBe(1);
    controller.abort();
    await given;
    expect(await tell(server, "bob")).toEqual([]);
  });
});
