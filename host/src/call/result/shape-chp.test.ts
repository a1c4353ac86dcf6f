import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer, CallRecord, Ending } from "../../kernel/call.ts";
import { schemaErrors } from "../../kernel/chp-schemas-for-tests.ts";
import type { Outcome } from "../../kernel/evidence.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";
import { shapeAnswer } from "./shape-answer.ts";

const RECORD: CallRecord = {
  invocationId: "inv_1",
  correlation: { id: "corr_1", causationId: null, parentId: null, traceId: null, fresh: false },
  capabilityId: "conformance.echo",
  capabilityVersion: "1.0.0",
  evidenceIds: ["evt_c1_a", "evt_c1_b"],
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  completedAt: Date.UTC(2026, 0, 2, 3, 4, 6, 7),
};

const answer = (ending: Ending, outcome: Outcome, record: CallRecord = RECORD): Answer => ({
  ending,
  outcome,
  principal: null,
  evidenceId: "evt_c1_b",
  tool: "conformance__echo",
  record,
});

const shaped = (given: Answer): Record<string, unknown> => {
  const body = JSON.parse(shapeAnswer.chp(given)) as Record<string, unknown>;
  expect(schemaErrors("invocation-result", body)).toEqual([]);
  expect(Object.keys(body)).toEqual(Object.keys(body).toSorted());
  return body;
};

const result = (json: string, isError = false): Answer =>
  answer({ kind: "result", json: rawJson(json), isError }, isError ? "failure" : "success");

const refused = (kind: RefusalKind, details: Record<string, unknown> = {}): Answer =>
  answer(
    { kind: "refusal", refusal: new Refusal(kind, { message: "No.", next: "Do this.", details }), stage: 6 },
    REFUSALS[kind].outcome,
    { ...RECORD, startedAt: null },
  );

/** Kinds that a call path can end with; the others are said by the doors. */
const PROCESSED = (Object.keys(REFUSALS) as RefusalKind[]).filter((kind) => REFUSALS[kind].chp !== "");
const KINDS_OF = (outcomes: readonly Outcome[]): RefusalKind[] =>
  PROCESSED.filter((kind) => outcomes.includes(REFUSALS[kind].outcome));

describe("the result of a call over CHP", () => {
  it("is the structured content as the server wrote it, with the ids and times of its record", () => {
    const text = shapeAnswer.chp(result('{"content":[],"structuredContent":{"z":1.0,"a":12345678901234567890}}'));
    expect(text).toBe(
      '{"capability_id":"conformance.echo","capability_version":"1.0.0","completed_at":"2026-01-02T03:04:06.007Z",' +
        '"correlation":{"causation_id":null,"correlation_id":"corr_1","parent_correlation_id":null,"trace_id":null},' +
        '"data":{"z":1.0,"a":12345678901234567890},"denial":null,"error":null,' +
        '"evidence_ids":["evt_c1_a","evt_c1_b"],"invocation_id":"inv_1","outcome":"success",' +
        '"started_at":"2026-01-02T03:04:05.006Z","success":true}',
    );
  });

  it("is the content of a tool that has no structured one", () => {
    const json = '{"_meta":{"a":1},"content":[{"type":"text","text":"hi"}],"isError":false}';
    expect(shaped(result(json))["data"]).toEqual({ content: [{ type: "text", text: "hi" }] });
  });

  it("says what the tool said when the tool says that it failed", () => {
    const body = shaped(result('{"content":[{"type":"text","text":"No such file."}],"isError":true}', true));
    expect(body).toMatchObject({
      outcome: "failure",
      success: false,
      data: null,
      error: {
        code: "tool_error",
        message: "No such file.",
        details: { content: [{ type: "text", text: "No such file." }] },
      },
    });
  });

  it.each([
    ['{"error":{"code":"x","message":"No such config."},"success":false}', "No such config."],
    ['{"message":"Too late.","error":{}}', "Too late."],
    ['{"error":"Not now."}', "Not now."],
    ['{"error":{"message":""},"n":1}', '{"error":{"message":""},"n":1}'],
    ["{not JSON", "{not JSON"],
  ])("of a failure that is told as %s the message is %j, and all of it is in the details", (text, message) => {
    const content = [{ type: "text", text }];
    const { error } = shaped(result(JSON.stringify({ content, isError: true }), true));
    expect(error).toEqual({ code: "tool_error", message, details: { content } });
  });

  it("a text that says more than the structured content is the message as it is", () => {
    const text = '{"error":{"message":"No."},"hint":"try b"}';
    const failed = (structuredContent: object): unknown =>
      shaped(result(JSON.stringify({ content: [{ type: "text", text }], structuredContent, isError: true }), true))[
        "error"
      ];
    expect(failed({ ok: false })).toMatchObject({ message: text, details: { ok: false } });
    expect(failed({ hint: "try b", error: { message: "No." } })).toMatchObject({ message: "No." });
  });

  it("keeps an upstream's error whole", () => {
    const json = rawJson('{"code":-32000,"message":"broken","data":{"a":1e2}}');
    const text = shapeAnswer.chp(answer({ kind: "error", json, code: -32000 }, "failure"));
    expect(text).toContain(`"details":{"upstream":${json}}`);
    expect(JSON.parse(text)).toMatchObject({ outcome: "failure", error: { code: "host_error", message: "broken" } });
  });

  it("is marked when it was given out before, and only then", () => {
    const fresh = result('{"structuredContent":{}}');
    expect(shaped(fresh)).not.toHaveProperty("replayed");
    expect(shaped({ ...fresh, replayed: true })).toHaveProperty("replayed", true);
  });

  it.each(KINDS_OF(["denied", "skipped"]))("%s is a denial with its code and the next step", (kind) => {
    const body = shaped(refused(kind, { limit: 3, invariant_id: "requires_value" }));
    expect(body).toMatchObject({
      outcome: REFUSALS[kind].outcome,
      success: false,
      data: null,
      error: null,
      started_at: null,
      denial: {
        code: REFUSALS[kind].chp,
        message: "No.",
        invariant_id: "requires_value",
        retryable: REFUSALS[kind].retryable,
        details: { kind, limit: 3, next: "Do this." },
      },
    });
  });

  it.each(KINDS_OF(["failure", "indeterminate"]))("%s is an error with its code and the next step", (kind) => {
    expect(shaped(refused(kind, { timeout_ms: 5 }))).toMatchObject({
      outcome: REFUSALS[kind].outcome,
      denial: null,
      error: { code: REFUSALS[kind].chp, message: "No.", details: { kind, timeout_ms: 5, next: "Do this." } },
    });
  });

  it.each([
    ["timeout", "timeout"],
    ["cancelled", "cancelled"],
    ["connection_lost", "host_error"],
  ])("an unknown effect after %s has the code %s", (error, code) => {
    expect(shaped(refused("indeterminate", { error }))).toMatchObject({ outcome: "indeterminate", error: { code } });
  });

  it("a server's error that hides an unknown effect says so", () => {
    const json = rawJson('{"code":-32021,"message":"m"}');
    const indeterminate = new Refusal("indeterminate", { message: "Nobody knows.", next: "Look." });
    const body = shaped(answer({ kind: "error", json, code: -32021, indeterminate }, "indeterminate"));
    expect(body).toMatchObject({
      outcome: "indeterminate",
      error: { code: "indeterminate", message: "Nobody knows." },
    });
  });

  it("is valid JSON and schema-valid whatever the names and ids are", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), fc.json(), (id, correlation, data) => {
        const record = { ...RECORD, capabilityId: id, correlation: { ...RECORD.correlation, id: correlation } };
        const json = rawJson(`{"structuredContent":{"data":${data}}}`);
        const body = shaped(answer({ kind: "result", json, isError: false }, "success", record));
        expect(body).toMatchObject({ capability_id: id, correlation: { correlation_id: correlation } });
        expect(body["data"]).toEqual({ data: JSON.parse(data) as unknown });
      }),
    );
  });
});
