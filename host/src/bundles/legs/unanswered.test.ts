import { expect, onTestFinished, test } from "vitest";
import type { Connection, ConnectionLimits } from "../connection.ts";
import { createAsker, elicit, type TestAsker } from "./asker-for-tests.ts";
import { connectStdio } from "./connect-stdio.ts";
import { call, fixture, LIMITS, NO_EVENTS, startProcess } from "./process-for-tests.ts";
import { Unanswered } from "./unanswered.ts";

interface Bench {
  readonly server: Connection;
  readonly marks: () => number;
  /** What the server was told when it asked for a call of this caller. */
  readonly ask: (asker: TestAsker, owner: string) => Promise<string>;
}

const connect = async (limits: Partial<ConnectionLimits> = {}): Promise<Bench> => {
  const child = startProcess([fixture("asking-server.mjs"), "stdio"]);
  onTestFinished(() => child.stop());
  let marks = 0;
  const server = await connectStdio(child, {
    limits: { ...LIMITS, ...limits },
    events: { ...NO_EVENTS, asksShared: () => marks++ },
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
  const ask = async (asker: TestAsker, owner: string): Promise<string> => {
    const answer = call(server, "rounds", JSON.stringify({ questions: [elicit("q1")] }), { asker, owner });
    asker.answer("{}");
    return (await answer).json;
  };
  return { server, marks: () => marks, ask };
};

const accepts = (): TestAsker => createAsker("{}", () => ({ kind: "result", json: '{"yes":true}' as never }));

/** Ann's call is sent, cancelled, and forgotten by all but its server. */
const leaveOpen = async (server: Connection): Promise<void> => {
  const gone = new AbortController();
  const left = call(server, "silent", "{}", { owner: "ann", signal: gone.signal });
  gone.abort();
  await expect(left).rejects.toMatchObject({ kind: "indeterminate", details: { error: "cancelled" } });
};

test("a question is nobody's while another caller's call that was given up may still be the one that asks", async () => {
  const { server, marks, ask } = await connect();
  await leaveOpen(server);
  const [ann, bob] = [accepts(), accepts()];
  expect(await ask(bob, "bob")).toContain('"code":-32600');
  expect(bob.asked).toEqual([]);
  // Calls that run one at a time would not make it any clearer.
  expect(marks()).toBe(0);
  expect(await ask(ann, "ann")).toContain('{"yes":true}');
  // The server answers at last, so that it will ask nothing more for it.
  await call(server, "release", "{}", { owner: "bob" });
  expect(await ask(bob, "bob")).toContain('{"yes":true}');
});

test("a call that was given up is no more thought of when no call may take that long", async () => {
  const { server, ask } = await connect({ maxTimeoutMs: 300 });
  await leaveOpen(server);
  const bob = accepts();
  await expect.poll(() => ask(bob, "bob"), { timeout: 10_000 }).toContain('{"yes":true}');
});

test("of more calls than are kept, somebody's stays open", () => {
  const unanswered = new Unanswered(1_000);
  for (let id = 0; id < 5_000; id++) unanswered.add(id, "ann");
  for (let id = 0; id < 5_000; id++) unanswered.remove(id);
  expect(unanswered.isOnlyOf("ann")).toBe(false);
  expect(new Unanswered(1_000).isOnlyOf("ann")).toBe(true);
});
