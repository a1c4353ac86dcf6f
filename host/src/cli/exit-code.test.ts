import { describe, expect, it } from "vitest";
import type { Answer, Ending } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../kernel/refusals.ts";
import { exitCodeOf } from "./exit-code.ts";

const answer = (ending: Ending): Answer => ({
  ending,
  outcome: "success",
  principal: null,
  evidenceId: null,
  tool: null,
});
const refused = (kind: RefusalKind): number =>
  exitCodeOf(answer({ kind: "refusal", refusal: new Refusal(kind, { message: "no", next: "ask" }), stage: 3 }));

describe("the exit code of a call", () => {
  it("is 0 for a result, 1 for a tool's own error and for an upstream's JSON-RPC error", () => {
    expect(exitCodeOf(answer({ kind: "result", json: rawJson("{}"), isError: false }))).toBe(0);
    expect(exitCodeOf(answer({ kind: "result", json: rawJson("{}"), isError: true }))).toBe(1);
    expect(exitCodeOf(answer({ kind: "error", json: rawJson("{}"), code: -32000 }))).toBe(1);
  });

  it("is 4 while an approval is pending, 5 when nobody knows the outcome, 3 for every other refusal", () => {
    const kinds = Object.keys(REFUSALS) as RefusalKind[];
    const codes = Map.groupBy(kinds, refused);
    expect(codes.get(4)).toEqual(["approval_pending"]);
    expect(codes.get(5)).toEqual(["indeterminate", "outcome_unrecorded"]);
    expect(codes.get(3)).toHaveLength(kinds.length - 3);
  });
});
