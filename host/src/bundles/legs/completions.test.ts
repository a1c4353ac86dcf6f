import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOBODY, type Asker } from "../../kernel/ask.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { Connection } from "../connection.ts";
import { Completions } from "./completions.ts";
import { connectStdio } from "./connect-stdio.ts";
import type { Exchange } from "./exchange.ts";
import { call, fixture, LIMITS, NO_EVENTS, startProcess, type TestProcess } from "./process-for-tests.ts";

let child: TestProcess;
let server: Connection;

beforeEach(async () => {
  child = startProcess([fixture("pages-server.mjs")]);
  server = await connectStdio(child, {
    limits: LIMITS,
    events: NO_EVENTS,
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
});
afterEach(() => child.stop());

interface Caller {
  readonly as: { readonly owner: string; readonly asker: Asker };
  readonly told: string[];
}

const callerOf = (owner: string, hears = true): Caller => {
  const told: string[] = [];
  const ask: Asker["ask"] = () => Promise.resolve({ kind: "result", json: rawJson('{"action":"accept"}') });
  const completion = (): ((params: string) => void) | null => (hears ? (params) => void told.push(params) : null);
  return { as: { owner, asker: { ...NOBODY, ask, completion } }, told };
};

const visit = ({ as }: Caller, page: string) => call(server, "visit", JSON.stringify({ page }), as);
const done = (params: object | string) => {
  const text = typeof params === "string" ? params : JSON.stringify(params);
  return call(server, "done", JSON.stringify({ params: text }), { owner: "test" });
};

describe("that a person is done with a page", () => {
  it("is told to the caller whose call was sent there, after the call has ended, and once", async () => {
    const [ann, bob] = [callerOf("ann"), callerOf("bob")];
    expect((await visit(ann, "p1")).json).toContain("accept");
    await visit(bob, "p2");
    await done({ elicitationId: "p1", more: 1 });
    await done({ elicitationId: "p1" });
    await done({ elicitationId: "unknown" });
    expect([ann.told, bob.told]).toEqual([['{"elicitationId":"p1","more":1}'], []]);
  });

  it("is told to a caller that has to go there before it calls again", async () => {
    const ann = callerOf("ann");
    expect(await call(server, "needs", '{"page":"p1"}', ann.as)).toMatchObject({ kind: "error", code: -32042 });
    await done({ elicitationId: "p1" });
    expect(ann.told).toEqual(['{"elicitationId":"p1"}']);
  });

  it("is told to nobody where two callers were given one id, also if only one of them can hear it", async () => {
    for (const hears of [true, false]) {
      const [ann, bob] = [callerOf("ann"), callerOf("bob", hears)];
      const page = `shared-${hears}`;
      await visit(ann, page);
      await visit(bob, page);
      await visit(ann, page);
      await done({ elicitationId: page });
      expect([ann.told, bob.told]).toEqual([[], []]);
    }
  });

  it("is told to the latest of one caller's", async () => {
    const [old, young] = [callerOf("ann"), callerOf("ann")];
    await visit(old, "p1");
    await visit(young, "p1");
    await done({ elicitationId: "p1" });
    expect([old.told.length, young.told.length]).toEqual([0, 1]);
  });

  it("says nothing that a reader could take for another page, or for the host's word", async () => {
    const ann = callerOf("ann");
    for (const page of ["p1", "p2", "p3"]) await visit(ann, page);
    await done('{"elicitationId":"other","elicitationId":"p1"}');
    await done('{"elicitationId":"p2","_meta":{"dev.bailiwick/x":1,"keep":1.0}}');
    await done({ elicitationId: "p3", long: "x".repeat(5_000) });
    for (const odd of ["{}", '{"elicitationId":5}', "[]", "null"]) await done(odd);
    expect(ann.told).toEqual([
      '{"elicitationId":"p1"}',
      '{"elicitationId":"p2","_meta":{"keep":1.0}}',
      '{"elicitationId":"p3"}',
    ]);
  });
});

describe("what is remembered of pages", () => {
  const exchangeOf = ({ as }: Caller): Exchange => ({ options: { call: as } }) as unknown as Exchange;

  it("is the last thousand, and nothing of questions that send nobody to a page", () => {
    const completions = new Completions();
    const ann = callerOf("ann");
    const exchange = exchangeOf(ann);
    for (let i = 0; i < 1_500; i++) completions.expect({ mode: "url", elicitationId: `p${i}` }, exchange);
    for (const odd of [{ mode: "form", elicitationId: "f" }, { mode: "url" }, { elicitationId: "x" }, null, 5]) {
      completions.expect(odd, exchange);
    }
    completions.expect({ mode: "url", elicitationId: "x".repeat(2_000) }, exchange);
    expect(completions.size).toBe(1_000);
    for (const id of ["p499", "p500", "p1499", "f", "x"])
      completions.take({ elicitationId: id }, `{"elicitationId":"${id}"}`);
    expect(ann.told).toEqual(['{"elicitationId":"p500"}', '{"elicitationId":"p1499"}']);
  });

  it("is nothing where an answer names no pages", () => {
    const completions = new Completions();
    const exchange = exchangeOf(callerOf("ann"));
    for (const odd of [null, "x", {}, { elicitations: {} }, { elicitations: [null, 1, {}] }]) {
      completions.expectAll(odd, exchange);
    }
    completions.expectAll({ elicitations: [{ mode: "url", elicitationId: "p" }] }, null);
    expect(completions.size).toBe(0);
  });
});
