import { describe, expect, it } from "vitest";
import { NO_ENVELOPE } from "../../kernel/envelope.ts";
import type { StateWrite } from "../../kernel/evidence.ts";
import {
  AGENT,
  configOf,
  openBench,
  principalOf,
  refusalOf,
  type Bench,
  type BenchOptions,
  type CallFacts,
} from "./policy-for-tests.ts";

const limited = (per: string, calls = 2, options: BenchOptions = {}) =>
  openBench({ rules: [{ id: "r", match: {}, effect: "limit", limit: { per, calls, window_s: 60 } }] }, options);

const budgeted = (autonomy: object, options: BenchOptions = {}) =>
  openBench({ capabilities: { billing__refund: { autonomy } } }, options);

const invocation = (correlation = "corr_1") => ({ id: "inv", correlation: { id: correlation } as never });

/** Lets the call begin: what was written with it. */
const begin = (bench: Bench, facts?: CallFacts, correlation?: string): StateWrite[] =>
  bench.run(facts).verdict.admissions.flatMap((each) => each.take(invocation(correlation)).writes.slice());

const inCorrelation = (correlationId: string): CallFacts => ({ envelope: { ...NO_ENVELOPE, correlationId } });

describe("a limit of a rule", () => {
  it("counts what began, not what was asked", () => {
    const bench = limited("principal");
    for (let i = 0; i < 5; i++) bench.run();
    begin(bench);
    begin(bench);
    const no = refusalOf(() => bench.run());
    expect(no.kind).toBe("rate_limited");
    expect(no.details).toMatchObject({ limit: 2, used: 2, matched_rule: "r" });
    expect(no.details["retry_after_s"]).toBeGreaterThan(0);
    expect(no.retryAfterMs).toBeGreaterThan(0);
  });

  it.each<[string, CallFacts, boolean]>([
    ["principal", { principal: principalOf({ id: "person:bo" }) }, false],
    ["principal", { principal: { ...AGENT, onBehalfOf: "person:bo" } }, false],
    ["principal", { flatName: "other__x" }, true],
    ["tool", { flatName: "other__x" }, false],
    ["tool", { principal: AGENT }, true],
    ["provider", { flatName: "billing__other" }, true],
    ["workspace", { principal: principalOf({ workspace: "ws_a" }) }, false],
    ["workspace", { principal: AGENT }, true],
    ["host", { principal: principalOf({ workspace: "ws_a" }), flatName: "other__x" }, true],
    ["principal+tool", { flatName: "other__x" }, false],
    ["credential", { principal: principalOf({ id: "person:bo" }) }, true],
  ])("per %s is shared by another call or not: %j", (per, facts, shared) => {
    const bench = limited(per, 1);
    begin(bench);
    if (shared) expect(refusalOf(() => bench.run(facts)).kind).toBe("rate_limited");
    else expect(bench.run(facts).verdict.admissions).toHaveLength(1);
  });

  it("is asked again in the moment the call begins: of many that were let through only so many run", () => {
    const bench = limited("host", 2);
    const waiting = Array.from({ length: 5 }, () => bench.run().verdict.admissions[0]!);
    const ends = waiting.map((each) => {
      try {
        each.take(invocation());
        return "run";
      } catch {
        return "refused";
      }
    });
    expect(ends).toEqual(["run", "run", "refused", "refused", "refused"]);
  });

  it("gives the place back when the intent could not be written", () => {
    const bench = limited("host", 1);
    bench.run().verdict.admissions[0]!.take(invocation()).release();
    expect(begin(bench)).toHaveLength(1);
    expect(refusalOf(() => bench.run()).kind).toBe("rate_limited");
  });

  it("holds over a restart", () => {
    let now = 1_000_000;
    const written = begin(limited("host", 1, { now: () => now }));
    const kept = written.map(({ key, value }) => [key, value ?? ""] as const);
    const again = limited("host", 1, { kept, now: () => now });
    expect(refusalOf(() => again.run()).kind).toBe("rate_limited");
    now += 64_000;
    expect(again.run().verdict.admissions).toHaveLength(1);
  });

  it("does not refuse a call that goes on with what has already begun", () => {
    const bench = limited("host", 1);
    begin(bench);
    const goesOn = { continues: { kind: "relay" } as never };
    expect(bench.run(goesOn).verdict.rule).toBe("shipped:members");
  });

  it("of a workspace's rule counts in that workspace only", () => {
    const own = { rules: [{ id: "r", match: {}, effect: "limit", limit: { per: "host", calls: 1, window_s: 60 } }] };
    const configs = new Map(["ws_a", "ws_b"].map((id) => [id, configOf(own)]));
    const bench = openBench({}, { ofWorkspace: (id) => configs.get(id) ?? null });
    const at = (workspace: string): CallFacts => ({ principal: principalOf({ workspace }) });
    begin(bench, at("ws_a"));
    expect(refusalOf(() => bench.run(at("ws_a"))).kind).toBe("rate_limited");
    expect(begin(bench, at("ws_b"))).toHaveLength(1);
  });
});

describe("the budget of a correlation", () => {
  it("of actions is what may begin in it", () => {
    const bench = budgeted({ action_limit: 1 });
    begin(bench, inCorrelation("corr_1"), "corr_1");
    const no = refusalOf(() => bench.run(inCorrelation("corr_1")));
    expect(no.kind).toBe("budget_exceeded");
    expect(no.details).toEqual({ limit: 1, used: 1, retry_after_s: null, matched_rule: "action_limit" });
    expect(bench.run(inCorrelation("corr_2")).verdict.admissions).toHaveLength(1);
  });

  it("also counts a call whose correlation the host made", () => {
    const bench = budgeted({ action_limit: 1 });
    begin(bench, {}, "corr_made");
    expect(refusalOf(() => bench.run(inCorrelation("corr_made"))).kind).toBe("budget_exceeded");
  });

  it.each([
    [{ spend_limit: 3 }, 3],
    [{ spend_limit: 1, spend_units: 0.1 }, 10],
    [{ spend_limit: 5, spend_units: 2 }, 2],
    [{ spend_limit: 100, action_limit: 2 }, 2],
    [{ action_limit: 0 }, 0],
  ])("%j allows %i calls", (autonomy, calls) => {
    const bench = budgeted(autonomy);
    for (let i = 0; i < calls; i++) begin(bench, inCorrelation("c"), "c");
    expect(refusalOf(() => begin(bench, inCorrelation("c"), "c")).kind).toBe("budget_exceeded");
  });
});
