import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Answer, Ending } from "../../kernel/call.ts";
import { jcs } from "../../kernel/jcs.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";
import { no, ok, openOnce, rawCall, SEALS, type CallOrder, type OnceHost } from "./spine-for-tests.ts";

const DONE = ok('{"content":[],  "n":1.0}');
const call = (host: OnceHost, order: CallOrder = {}): Promise<Answer> => host.handle(rawCall(order));
const kindOf = ({ ending }: Answer): string => (ending.kind === "refusal" ? ending.refusal.kind : ending.kind);

describe("the same call twice", () => {
  it("runs once and gets the recorded answer, marked, with no further event", async () => {
    const host = openOnce(() => DONE);
    const first = await call(host);
    expect(first.replayed).toBeUndefined();
    const second = await call(host);
    expect(second).toEqual({ ...first, replayed: true, record: { ...first.record!, evidenceIds: ["evt_1", "evt_2"] } });
    expect(second.evidenceId).toBe(first.evidenceId);
    expect([host.begun(), host.events.length]).toEqual([1, 2]);
  });

  it("gets it after a restart too", async () => {
    const host = openOnce(() => ok('{"said":"this"}'));
    const first = await call(host);
    const restarted = openOnce(() => DONE, host.kept);
    const again = await call(restarted);
    expect(again.record?.evidenceIds).toEqual(["evt_1", "evt_2"]);
    expect(again).toMatchObject({ replayed: true, ending: first.ending, outcome: "success", tool: "p__t" });
    expect(again.record).toMatchObject({ invocationId: "inv-1", capabilityId: "t.alias", startedAt: 1 });
  });

  it.each([
    ["in the open", (text: string) => text],
    ["sealed", (text: string) => SEALS.seal("replies", text)],
  ])("gets an answer that an earlier version kept %s", async (_, keep) => {
    const host = openOnce(() => DONE);
    const { record } = await call(host);
    const { operation, provider, name, args } = rawCall();
    const bound = hash("sha256", `${JSON.stringify([operation, provider, name])}${jcs(args)}`);
    for (const [key, { call: logged }] of host.kept) {
      const asItWas = { version: 1, call: bound, tool: "p__t", record: { ...record, evidenceIds: ["evt_1"] } };
      const ended = { ...asItWas, outcome: "success", ending: ok('{"old":true}') };
      host.kept.set(key, { text: keep(JSON.stringify(ended)), eventIds: ["evt_2"], call: logged });
      expect(await call(host)).toMatchObject({ replayed: true, outcome: "success", ending: ended.ending, record });
      host.kept.set(key, { text: keep(JSON.stringify(asItWas)), eventIds: ["evt_2"], call: logged });
      const unknown = await call(host);
      expect([unknown.outcome, kindOf(unknown)]).toEqual(["indeterminate", "indeterminate"]);
      const ids = ["inv-1", "corr-old", null, null, null, false, "t.alias", "1.0.0", ["evt_1"], 1, 2];
      const listed = [2, bound, "p__t", ...ids, "success", ended.ending];
      host.kept.set(key, { text: keep(JSON.stringify(listed)), eventIds: ["evt_2"], call: logged });
      const { correlation, ...rest } = record!;
      expect(await call(host)).toMatchObject({
        replayed: true,
        outcome: "success",
        ending: ended.ending,
        record: rest,
      });
      expect((await call(host)).record?.correlation.id).toBe("corr-old");
      expect(correlation.id).not.toBe("corr-old");
    }
    expect(host.begun()).toBe(1);
  });

  it("runs twice with two ids, and as often as it is made without one", async () => {
    const host = openOnce(() => DONE);
    await Promise.all([call(host, { id: "a" }), call(host, { id: "b" })]);
    expect(host.begun()).toBe(2);
    const unverified = { kind: "refusal" };
    expect((await call(host, { id: null })).ending).toMatchObject(unverified);
    expect(host.asked()).toBe(3);
  });

  it("gets its pieces again, in order", async () => {
    const chunks = { count: 2, digest: "d", kept: [rawJson('"s1"'), rawJson('{"a":1.0}')] };
    const host = openOnce(() => Object.assign({ chunks }, DONE));
    await call(host);
    expect((await call(host)).ending).toEqual({ ...DONE, chunks });
  });

  it("hears that nobody knows when the host died under the first, and nothing runs again", async () => {
    const host = openOnce(() => new Promise<Ending>(() => {}));
    void call(host);
    await Promise.resolve();
    expect(host.begun()).toBe(1);
    const after = openOnce(() => DONE, host.afterCrash());
    const answer = await call(after);
    expect([kindOf(answer), answer.outcome, answer.replayed]).toEqual(["indeterminate", "indeterminate", true]);
    expect(answer.record).toMatchObject({ evidenceIds: ["evt_1", "evt_recovered"], startedAt: 1, completedAt: 2 });
    expect(answer.ending).toMatchObject({ refusal: { next: expect.stringContaining("new id") } });
    expect(kindOf(await call(after, { args: { a: 1 } }))).toBe("idempotency_conflict");
    expect(after.asked()).toBe(0);
  });

  it.each<[string, (answer: Answer) => Answer]>([
    ["its end could not be recorded", (answer) => ({ ...answer, evidenceId: null })],
    ["it failed on the host's own fault", () => expect.unreachable("the host failed")],
  ])("hears the same again, and nothing runs, where it began and %s", async (_, end) => {
    const host = openOnce(() => DONE, new Map(), end);
    const first = await call(host).catch(String);
    host.kept.clear();
    const second = await call(host).catch(String);
    expect(second).toEqual(typeof first === "string" ? first : { ...first, replayed: true });
    expect(kindOf(await call(host, { args: { a: 1 } }))).toBe("idempotency_conflict");
    expect(host.begun()).toBe(1);
  });
});

it("says so when an answer is too large to be kept, and does not run the call again", async () => {
  const host = openOnce(() => ok(`{"text":"${"x".repeat(23 << 20)}"}`));
  await call(host);
  const second = await call(host);
  expect([kindOf(second), second.outcome, second.replayed, host.begun()]).toEqual(["too_large", "success", true, 1]);
});

describe("the same id for something else", () => {
  it.each<[string, CallOrder]>([
    ["another capability", { name: "t.other" }],
    ["other arguments", { args: { a: 2 } }],
    ["more arguments", { args: { a: 1, b: 1 } }],
  ])("is refused for %s, recorded as a call of its own, and the answer stays", async (_, order) => {
    const host = openOnce(() => DONE);
    const first = await call(host, { args: { a: 1 } });
    const other = await call(host, { args: { a: 1 }, ...order });
    expect(kindOf(other)).toBe("idempotency_conflict");
    expect(other.record?.invocationId).not.toBe("inv-1");
    expect(other.record?.correlation.causationId).toBe("inv-1");
    expect(host.events).toHaveLength(3);
    expect(await call(host, { args: { a: 1 } })).toMatchObject({ ending: first.ending, replayed: true });
    expect(host.begun()).toBe(1);
  });

  it("is refused while the first still runs", async () => {
    const gate = Promise.withResolvers<Ending>();
    const host = openOnce(() => gate.promise);
    const first = call(host);
    expect(kindOf(await call(host, { args: { a: 1 } }))).toBe("idempotency_conflict");
    gate.resolve(DONE);
    expect((await first).ending).toEqual(DONE);
    expect((await call(host)).ending).toEqual(DONE);
  });

  it("is the same call when only the order of the arguments differs", async () => {
    const host = openOnce(() => DONE);
    await call(host, { args: { a: 1, b: { c: 2, d: 3 } } });
    expect(await call(host, { args: { b: { d: 3, c: 2 }, a: 1 } })).toMatchObject({ replayed: true });
  });
});

describe("the same id of somebody else", () => {
  it.each([
    ["another principal", "runner", "ann"],
    ["the same program for another person", "ann", "bob"],
    ["the same principal in another workspace", "runner", "elsewhere"],
  ])("is another call: %s", async (_, one, other) => {
    const host = openOnce((_call, nth) => ok(`{"n":${nth}}`));
    const first = await call(host, { as: one });
    const second = await call(host, { as: other });
    expect([first.replayed, second.replayed, host.begun()]).toEqual([undefined, undefined, 2]);
    expect(second.ending).not.toEqual(first.ending);
  });

  it("is not found by who has no credential", async () => {
    const host = openOnce(() => DONE);
    await call(host);
    expect(kindOf(await call(host, { as: "nobody" }))).toBe("unauthenticated");
  });

  it("is not given to a key of the same principal that may not name the tool, and stays for the others", async () => {
    const host = openOnce(() => DONE);
    await call(host);
    expect(kindOf(await call(host, { as: "narrow" }))).toBe("not_visible");
    expect(await call(host, { as: "aliased" })).toMatchObject({ ending: DONE, replayed: true });
    expect(await call(host)).toMatchObject({ ending: DONE, replayed: true });
    expect(host.begun()).toBe(1);
  });
});

describe("a repeat while the first runs", () => {
  it("waits for it, however many there are", async () => {
    const gate = Promise.withResolvers<Ending>();
    const host = openOnce(() => gate.promise);
    const all = Array.from({ length: 20 }, () => call(host));
    gate.resolve(DONE);
    const answers = await Promise.all(all);
    expect(answers.map(({ ending }) => ending)).toEqual(Array.from({ length: 20 }, () => DONE));
    expect(answers.filter(({ replayed }) => replayed)).toHaveLength(19);
    expect(host.begun()).toBe(1);
  });

  it("may leave, and the first goes on", async () => {
    const gate = Promise.withResolvers<Ending>();
    const host = openOnce(() => gate.promise);
    const first = call(host);
    const leaving = new AbortController();
    const second = call(host, { signal: leaving.signal });
    leaving.abort();
    expect(kindOf(await second)).toBe("cancelled");
    expect(host.events).toHaveLength(1);
    gate.resolve(DONE);
    expect((await first).ending).toEqual(DONE);
  });

  it("runs itself when the first ended in nothing that stands", async () => {
    let tries = 0;
    const host = openOnce(() => (tries++ === 0 ? no("not_ready") : DONE));
    const [first, second] = await Promise.all([call(host), call(host)]);
    expect([kindOf(first), kindOf(second)]).toEqual(["not_ready", "result"]);
    expect(second.replayed).toBeUndefined();
  });
});

describe("a refusal under an id", () => {
  const kinds = (Object.keys(REFUSALS) as RefusalKind[]).filter(
    (kind) => kind !== "idempotency_conflict" && REFUSALS[kind].outcome !== "indeterminate",
  );
  const stands = (kind: RefusalKind): boolean => !REFUSALS[kind].retryable && REFUSALS[kind].outcome !== "failure";

  it.each(kinds)("%s before the call began stands only if nothing can change it", async (kind) => {
    let open = false;
    const host = openOnce(() => (open ? DONE : no(kind)));
    await call(host);
    open = true;
    const second = await call(host);
    expect([kind, kindOf(second), second.replayed]).toEqual(
      stands(kind) ? [kind, kind, true] : [kind, "result", undefined],
    );
    if (stands(kind)) expect(second.ending).toMatchObject({ refusal: { details: { why: "because" } }, stage: 6 });
    expect((await call(host)).replayed).toBe(true);
  });

  it.each<RefusalKind>(["timed_out", "indeterminate", "upstream_failed", "cancelled", "output_invalid"])(
    "%s after it began stands, and it is not sent again",
    async (kind) => {
      const host = openOnce((_, nth) => (nth === 1 ? no(kind, 10) : DONE));
      await call(host);
      const second = await call(host);
      expect([kindOf(second), second.replayed, host.begun()]).toEqual([kind, true, 1]);
    },
  );

  it("that waits for a person is superseded: the same id runs once it is granted, and exactly once", async () => {
    let granted = false;
    const host = openOnce(() => (granted ? DONE : no("approval_pending", 8)));
    expect(kindOf(await call(host))).toBe("approval_pending");
    granted = true;
    const answers = await Promise.all([call(host), call(host), call(host)]);
    expect(answers.map(kindOf)).toEqual(["result", "result", "result"]);
    expect([host.begun(), answers.filter(({ replayed }) => replayed).length]).toEqual([1, 2]);
  });
});

it("does not run a call again whose kept answer cannot be read", async () => {
  const host = openOnce(() => DONE);
  await call(host);
  for (const damaged of [
    "",
    "{",
    '{"version":9}',
    "[9]",
    "[3",
    "[3]",
    "[2]",
    "null",
    "7",
    "bw1.AAAA",
    '{"version":1,"ending":{"kind":"refusal","refusal":{"kind":"x"}}}',
  ]) {
    for (const [key, kept] of host.kept) host.kept.set(key, { ...kept, text: damaged });
    expect(kindOf(await call(host))).toBe("outcome_unrecorded");
  }
  expect(host.begun()).toBe(1);
});
