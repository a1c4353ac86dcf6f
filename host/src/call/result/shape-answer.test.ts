import { describe, expect, it } from "vitest";
import type { Answer, Ending } from "../../kernel/call.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";
import { shapeAnswer } from "./shape-answer.ts";

const answer = (ending: Ending): Answer => ({
  ending,
  outcome: "success",
  principal: null,
  evidenceId: "evt_c1_0",
  tool: "p__t",
});
const refused = (kind: RefusalKind, retryAfterMs?: number, stage = 6): Answer =>
  answer({
    kind: "refusal",
    stage,
    refusal: new Refusal(kind, { message: "No.", next: "Do this.", ...(retryAfterMs ? { retryAfterMs } : {}) }),
  });
const result = (json: string): Answer => answer({ kind: "result", json: rawJson(json), isError: false });

const KINDS = Object.keys(REFUSALS) as RefusalKind[];

describe("an answer over MCP", () => {
  it("passes a result and an error as they came", () => {
    const odd = '{ "content":[{"type":"odd","n":1.0}], "x":12345678901234567890 }';
    expect(shapeAnswer.mcp(result(odd), "call")).toEqual({ member: "result", json: odd });
    const error = rawJson('{"code":-32000,"message":"m","data":{"a":1e2}}');
    const ending = { kind: "error", json: error, code: -32000 } as const;
    expect(shapeAnswer.mcp(answer(ending), "call")).toEqual({ member: "error", json: error });
  });

  it.each(KINDS)("%s carries kind, next step and evidence, as its row of the table says", (kind) => {
    const reply = shapeAnswer.mcp(refused(kind), "call");
    const body = JSON.parse(reply.json) as Record<string, any>;
    const object = reply.member === "result" ? body["_meta"]["dev.bailiwick/refusal"] : body["data"];
    expect(object).toMatchObject({ kind, stage: 6, message: "No.", next: "Do this.", evidence_id: "evt_c1_0" });
    expect(object["retryable"]).toBe(REFUSALS[kind].retryable);
    if (REFUSALS[kind].mcp === "tool") {
      expect(body).toMatchObject({ isError: true, content: [{ type: "text", text: "No.\nDo this." }] });
    } else {
      expect(body["code"]).toBe(REFUSALS[kind].mcp);
    }
  });

  it.each(KINDS)("%s of the tool itself is a result that a model reads, and an error for all but calls", (kind) => {
    const reply = shapeAnswer.mcp(refused(kind, undefined, 10), "call");
    expect(reply.member).toBe("result");
    expect(JSON.parse(reply.json)).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "No.\nDo this." }],
      _meta: { "dev.bailiwick/refusal": { kind, stage: 10 } },
    });
    const { mcp } = REFUSALS[kind];
    const read = shapeAnswer.mcp(refused(kind, undefined, 10), "read");
    expect(JSON.parse(read.json)).toMatchObject({ code: mcp === "tool" ? 1403 : mcp });
  });

  it("makes a tool refusal an error 1403 where there is no tool result to carry it", () => {
    for (const operation of ["read", "prompt", "complete"] as const) {
      const reply = shapeAnswer.mcp(refused("policy_denied"), operation);
      expect(reply.member).toBe("error");
      expect(JSON.parse(reply.json)).toMatchObject({ code: 1403, message: "No.", data: { kind: "policy_denied" } });
    }
  });
});

describe("an answer over REST", () => {
  it.each([
    ['{"content":[]}', '{"_meta":{"dev.bailiwick/evidence":"evt_c1_0"},"content":[]}'],
    ['{"_meta":{"x":1.0},"content":[]}', '{"_meta":{"dev.bailiwick/evidence":"evt_c1_0","x":1.0},"content":[]}'],
  ])("adds the evidence id to %s and changes nothing else", (json, expected) => {
    expect(shapeAnswer.rest(result(json))).toMatchObject({ status: 200, json: expected });
  });

  it.each(KINDS)("%s has the status of its row, a remedy and the same object", (kind) => {
    const reply = shapeAnswer.rest(refused(kind, 1500));
    expect(reply.status).toBe(REFUSALS[kind].rest);
    expect(reply.headers["retry-after"]).toBe("2");
    expect(JSON.parse(reply.json)).toMatchObject({
      error: kind,
      message: "No.",
      remedy: "Do this.",
      data: { kind, evidence_id: "evt_c1_0", retry_after_ms: 1500 },
    });
  });

  it("keeps an upstream's error whole", () => {
    const ending = { kind: "error", json: rawJson('{"code":7,"message":"m","data":1.0}'), code: 7 } as const;
    const reply = shapeAnswer.rest(answer(ending));
    expect(reply.status).toBe(502);
    expect(reply.json).toContain('"upstream":{"code":7,"message":"m","data":1.0}');
    expect(JSON.parse(reply.json)).toMatchObject({ error: "upstream_failed" });
  });
});
