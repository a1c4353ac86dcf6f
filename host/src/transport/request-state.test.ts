import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { InputWanted } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { digestRequest, refuseState, RequestStates, type StateBond, type StateCheck } from "./request-state.ts";
import { makeSeals } from "./seals-for-tests.ts";

const bond: StateBond = {
  owner: "person:a\n\ndefault",
  endpoint: null,
  digest: digestRequest("tools/call", "call", { name: "t" }),
};
const wanted: InputWanted = {
  continues: { kind: "relay", invocationId: "inv_1", round: 3, questions: "ab", target: "p -" },
  provider: "p",
  result: rawJson("{}"),
  state: rawJson('"upstream\\u0020state" '),
};
const hold = { call: "hold_1", round: 1, nonce: "n1", expires: Date.now() + 60_000 };

afterEach(() => vi.useRealTimers());

describe("a state", () => {
  it("brings back what was sealed, the server's own state byte for byte", () => {
    const states = new RequestStates(makeSeals());
    expect(states.sealInput(bond, wanted)).toMatch(/^bw1\.[A-Za-z0-9_-]+$/);
    expect(states.open(states.sealInput(bond, wanted), bond)).toEqual({
      kind: "continues",
      continues: wanted.continues,
      provider: "p",
      state: wanted.state,
    });
    const again = { ...wanted, state: null, continues: { ...wanted.continues, kind: "again" as const } };
    expect(states.open(states.sealInput(bond, again), bond)).toMatchObject({
      continues: { kind: "again" },
      state: null,
    });
    expect(states.open(states.sealHeld(bond, hold), bond)).toEqual({ kind: "held", nonce: "n1" });
  });

  it("shows nothing of its content", () => {
    const seen = Buffer.from(new RequestStates(makeSeals()).sealInput(bond, wanted).slice(4), "base64url");
    for (const text of ["upstream", "person:a", "inv_1", "relay"]) expect(seen.includes(text)).toBe(false);
  });

  it.each<[string, Partial<StateBond>, StateCheck]>([
    ["another principal", { owner: "person:b\n\ndefault" }, "principal"],
    ["another workspace", { owner: "person:a\n\nother" }, "principal"],
    ["another endpoint", { endpoint: "p" }, "endpoint"],
    ["another tool", { digest: digestRequest("tools/call", "call", { name: "u" }) }, "request"],
    ["a prompt of that name", { digest: digestRequest("prompts/get", "prompt", { name: "t" }) }, "request"],
    ["other arguments", { digest: digestRequest("tools/call", "call", { name: "t", arguments: { a: 1 } }) }, "request"],
  ])("does not work for %s", (_, other, check) => {
    const states = new RequestStates(makeSeals());
    for (const sealed of [states.sealInput(bond, wanted), states.sealHeld(bond, hold)]) {
      expect(states.open(sealed, { ...bond, ...other })).toEqual({ kind: "wrong", check });
    }
  });

  it("ends: a held one with its hold, a relayed one after an hour, and only its owner is told", () => {
    vi.useFakeTimers();
    const states = new RequestStates(makeSeals());
    const held = states.sealHeld(bond, { ...hold, expires: Date.now() + 600_000 });
    const relayed = states.sealInput(bond, wanted);
    vi.advanceTimersByTime(599_999);
    expect(states.open(held, bond).kind).toBe("held");
    vi.advanceTimersByTime(1);
    expect(states.open(held, bond)).toEqual({ kind: "wrong", check: "expired" });
    expect(states.open(held, { ...bond, owner: "x" })).toEqual({ kind: "wrong", check: "principal" });
    expect(states.open(relayed, bond).kind).toBe("continues");
    vi.advanceTimersByTime(3_000_000);
    expect(states.open(relayed, bond)).toEqual({ kind: "wrong", check: "expired" });
  });

  it("of a call held before a restart says that the hold is lost; a relayed one still works", () => {
    const seals = makeSeals();
    const [before, after] = [new RequestStates(seals), new RequestStates(seals)];
    expect(after.open(before.sealHeld(bond, hold), bond)).toEqual({ kind: "wrong", check: "hold_lost" });
    expect(after.open(before.sealInput(bond, wanted), bond).kind).toBe("continues");
    expect(new RequestStates(makeSeals()).open(before.sealInput(bond, wanted), bond)).toEqual({
      kind: "wrong",
      check: "seal",
    });
  });

  it("is not taken when anything of it was changed", () => {
    const states = new RequestStates(makeSeals());
    const sealed = states.sealHeld(bond, hold);
    fc.assert(
      fc.property(fc.nat(sealed.length), fc.string({ maxLength: 3 }), fc.nat(3), (at, put, cut) => {
        const changed = sealed.slice(0, at) + put + sealed.slice(at + cut);
        fc.pre(changed !== sealed);
        expect(states.open(changed, bond)).toEqual({ kind: "wrong", check: "seal" });
      }),
    );
    for (const odd of [7, null, undefined, {}, [sealed], "", "bw1.", `${sealed}-TAMPERED`]) {
      expect(states.open(odd, bond)).toEqual({ kind: "wrong", check: "seal" });
    }
  });
});

describe("a request", () => {
  it("is the same in any order of members and with no arguments as with none of them", () => {
    const digest = (args?: object): string => digestRequest("tools/call", "call", { name: "t", ...args });
    expect(digest({ arguments: { a: 1, b: [1, 2] } })).toBe(digest({ arguments: { b: [1.0, 2], a: 1 } }));
    expect(digest({ arguments: {} })).toBe(digest());
    expect(digest({ arguments: { a: 1 } })).not.toBe(digest({ arguments: { a: "1" } }));
    const read = (uri: string): string => digestRequest("resources/read", "read", { uri });
    expect(read("a:b")).not.toBe(read("a:c"));
  });
});

describe("the refusal", () => {
  it.each<[StateCheck, string]>([
    ["seal", "invalid_request_state"],
    ["principal", "invalid_request_state"],
    ["endpoint", "invalid_request_state"],
    ["request", "invalid_request_state"],
    ["used", "invalid_request_state"],
    ["expired", "expired"],
    ["hold_lost", "hold_lost"],
  ])("for %s says %s and is otherwise one and the same", (check, reason) => {
    const refusal = refuseState(check);
    expect(refusal).toMatchObject({ code: -32602, data: { reason } });
    if (reason === "invalid_request_state") expect(refusal).toEqual(refuseState("seal"));
  });
});
