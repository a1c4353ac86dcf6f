import { describe, expect, it } from "vitest";
import { NO_ENVELOPE } from "../../../kernel/envelope.ts";
import type { StateWrite } from "../../../kernel/evidence.ts";
import { Refusal } from "../../../kernel/refusal.ts";
import type { Equipped } from "../../../kernel/stages.ts";
import { MandateCounts } from "./mandate-counts.ts";
import { HOUR, mandateOf, NOW, party, type Json } from "./mandate-for-tests.ts";
import { createMandates, type Mandates, type MandatesOptions } from "./mandates.ts";
import { readMandate } from "./read-mandate.ts";

const [ann, bob] = [party("ann"), party("bob")];
const invocation = {
  id: "inv_1",
  correlation: { id: "c", causationId: null, parentId: null, traceId: null, fresh: true },
};

const call = (mandate: unknown, capability = "demo.echo"): Equipped =>
  ({
    envelope: { ...NO_ENVELOPE, mandate },
    principal: { id: "service:runner", subject: { id: "runner", type: "api_key" } },
    target: { capability: { id: capability } },
    continues: null,
  }) as unknown as Equipped;

const open = (more: Partial<MandatesOptions> = {}, state: Map<string, string> = new Map()): Mandates =>
  createMandates({
    mandates: { principals: "any", delegateBinding: "name" },
    mandatePrincipals: [],
    delegates: {},
    isRevoked: () => false,
    state: { entries: () => state },
    policyVersion: () => "sha256:p",
    now: () => NOW,
    ...more,
  });

const refusal = (work: () => unknown): Refusal => {
  try {
    work();
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("was not refused");
};

const keep = (state: Map<string, string>, writes: readonly StateWrite[]): void => {
  for (const { space, key, value } of writes) {
    expect(space).toBe("mandate");
    if (value === null) state.delete(key);
    else state.set(key, value);
  }
};

describe("a call with a mandate", () => {
  it("is attributed to its principals; one without is not touched", () => {
    const parent = mandateOf({ by: ann, to: "bob", scope: ["demo.*"] });
    const mandate = mandateOf({ by: bob, to: "runner", scope: ["demo.echo"], parent, id: "mnd_1" });
    expect(open()(call(mandate))).toEqual({
      facts: {
        id: "runner",
        type: "mandate",
        verified: true,
        mandate_id: "mnd_1",
        principal: "bob",
        root_principal: "ann",
      },
      admissions: [],
    });
    expect(open()(call(null))).toBeNull();
    expect(open()({ ...call(null), envelope: null })).toBeNull();
  });

  it.each(["runner", "service:runner", "service://runner"])("may name its caller %s", (to) => {
    expect(open()(call(mandateOf({ by: ann, to, scope: ["*"] })))?.facts["id"]).toBe(to);
  });

  it("is denied outside the scope by policy, with the scope and a next step", () => {
    const no = refusal(() => open()(call(mandateOf({ by: ann, to: "runner", scope: ["demo.echo"] }), "demo.other")));
    expect(no).toMatchObject({ kind: "policy_denied", next: expect.stringContaining("principal") as string });
    expect(no.row.chp).toBe("policy_blocked");
    expect(no.details).toMatchObject({
      matched_rule: "mandate_scope",
      policy_version: "sha256:p",
      scope: ["demo.echo"],
    });
  });

  it("is refused with each check when the mandate does not hold", () => {
    const ended = mandateOf({ by: ann, to: "runner", scope: ["*"], until: NOW });
    const no = refusal(() => open()(call(ended)));
    expect(no).toMatchObject({ kind: "mandate_invalid", message: expect.stringContaining("window") as string });
    expect(no.details).toMatchObject({ checks: { window: false, signature: true, delegate: true } });
    const pinned = { mandates: { principals: "pinned", delegateBinding: "key" } } as const;
    const unpinned = refusal(() => open(pinned)(call(mandateOf({ by: ann, to: "runner", scope: ["*"] }))));
    expect(unpinned.details).toMatchObject({ checks: { principal: false } });
    expect(refusal(() => open()(call({}))).details).toEqual({ checks: { form: false } });
  });
});

describe("a mandate for so many calls", () => {
  const capped = (max: number, more: Json = {}): Json =>
    mandateOf({ by: ann, to: "runner", scope: ["*"], max, id: "mnd_cap", ...more });
  const take = (mandates: Mandates, mandate: Json) => {
    const [admission, ...others] = mandates(call(mandate))!.admissions;
    expect(others).toEqual([]);
    return admission!.take(invocation);
  };

  it("ends after them, also over a restart", () => {
    const state = new Map<string, string>();
    const first = open({}, state);
    keep(state, take(first, capped(3)).writes);
    keep(state, take(first, capped(3)).writes);
    const second = open({}, state);
    keep(state, take(second, capped(3)).writes);
    for (const mandates of [second, open({}, state)]) {
      const no = refusal(() => mandates(call(capped(3))));
      expect(no).toMatchObject({ kind: "mandate_exhausted", details: { used: 3, max_invocations: 3 } });
    }
    expect(state.size).toBe(1);
  });

  it("is not used up by asking, and by a call whose intent was not written", () => {
    const mandates = open();
    for (let i = 0; i < 5; i++) mandates(call(capped(1)));
    take(mandates, capped(1)).release();
    take(mandates, capped(1));
    expect(refusal(() => mandates(call(capped(1)))).kind).toBe("mandate_exhausted");
  });

  it("admits at the moment a call begins only as many as are left, whoever was let through before", () => {
    const mandates = open();
    const waiting = Array.from({ length: 5 }, () => mandates(call(capped(2)))!.admissions[0]!);
    const begun = waiting.filter((admission) => {
      try {
        admission.take(invocation);
        return true;
      } catch (no) {
        expect((no as Refusal).kind).toBe("mandate_exhausted");
        return false;
      }
    });
    expect(begun).toHaveLength(2);
  });

  it("lets the last call go on when it is asked about once more", () => {
    const mandates = open();
    take(mandates, capped(1));
    expect(mandates({ ...call(capped(1)), invocation: {} } as Equipped)?.admissions).toEqual([]);
    expect(() => mandates(call(capped(1)))).toThrow(Refusal);
  });

  it("counts for its children too: none of them gets more than it has", () => {
    const mandates = open();
    const parent = mandateOf({ by: ann, to: "bob", scope: ["*"], max: 2 });
    const child = (): Json => mandateOf({ by: bob, to: "runner", scope: ["*"], parent });
    take(mandates, child());
    take(mandates, mandateOf({ by: bob, to: "runner", scope: ["*"], parent, max: 2 }));
    expect(refusal(() => mandates(call(child()))).details).toMatchObject({
      mandate_id: parent["mandate_id"],
      used: 2,
      max_invocations: 2,
    });
  });

  it("takes all that a chain needs or nothing of it", () => {
    const mandates = open();
    const parent = mandateOf({ by: ann, to: "bob", scope: ["*"], max: 3 });
    const once = mandateOf({ by: bob, to: "runner", scope: ["*"], parent, max: 1 });
    const [first, second] = [mandates(call(once))!.admissions[0]!, mandates(call(once))!.admissions[0]!];
    first.take(invocation);
    expect(() => second.take(invocation)).toThrow(Refusal);
    for (let i = 0; i < 2; i++) take(mandates, mandateOf({ by: bob, to: "runner", scope: ["*"], parent }));
    expect(() => take(mandates, mandateOf({ by: bob, to: "runner", scope: ["*"], parent }))).toThrow(Refusal);
  });

  it("is another one when another principal chose the same id", () => {
    const mandates = open();
    take(mandates, capped(1));
    const other = mandateOf({ by: bob, to: "runner", scope: ["*"], max: 1, id: "mnd_cap" });
    expect(take(mandates, other).writes).toHaveLength(1);
  });

  it("is forgotten when it has ended, and counted no further when there are too many", () => {
    let now = NOW;
    const counts = new MandateCounts({ entries: () => [["old", '{"used":1,"until":1}']] }, () => now, 2);
    const links = (id: string, until = NOW + HOUR) =>
      readMandate(mandateOf({ by: ann, to: "runner", scope: ["*"], max: 1, id, until }))!;
    const { writes } = counts.admit(links("a"))!.take(invocation);
    expect(writes.map(({ key, value }) => (value === null ? key : "counted"))).toEqual(["old", "counted"]);
    counts.admit(links("b"))!.take(invocation);
    expect(refusal(() => counts.admit(links("c")))).toMatchObject({ kind: "rate_limited" });
    now = NOW + 2 * HOUR;
    const late = counts.admit(links("c", NOW + 9 * HOUR))!.take(invocation);
    expect(late.writes.filter(({ value }) => value === null)).toHaveLength(2);
  });
});
