import { describe, expect, it } from "vitest";
import type { Ending } from "../../kernel/call.ts";
import type { LoggedCall } from "../../kernel/evidence.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { unknownReply } from "../../kernel/once-text.ts";
import { decodeReply, encodeReply, type KeptRecord } from "./reply-text.ts";

const CALL = "Zm9vYmFyYmF6cXV4LV8xMg";
const LOGGED: LoggedCall = {
  invocationId: "inv-1",
  correlation: { id: "corr-1", causationId: null, parentId: null, traceId: "t", fresh: false },
  capabilityId: "p__t",
  capabilityVersion: "1.0.0",
  outcome: "success",
  at: 7,
  begunAt: 5,
};
const RECORD: KeptRecord = {
  capabilityId: "p__t",
  capabilityVersion: "1.0.0",
  evidenceIds: [],
  startedAt: 1_700_000_000_000,
  completedAt: 1_700_000_000_012,
};
const said = (json: string, more: object = {}): Ending => ({
  kind: "result",
  json: rawJson(json),
  isError: false,
  ...more,
});

describe("an answer that is kept", () => {
  it.each<[string, Ending, Partial<KeptRecord>, string | null]>([
    ["a result", said('{"content":[{"type":"text","text":"]{\\n"}],  "n":1.0}'), {}, "p__t"],
    ["a single text", said('{"content":[{"type":"text","text":"a, 1 \\u00e9 \u00e9 }]}"}]}'), {}, "p__t"],
    ["a single text with quotes", said('{"content":[{"type":"text","text":"a \\"b\\""}]}'), {}, "p__t"],
    ["a single text with a quote at its end", said('{"content":[{"type":"text","text":"\\""}]}'), {}, "p__t"],
    ["a single text that is empty", said('{"content":[{"type":"text","text":""}]}'), {}, "p__t"],
    ["two texts", said('{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}'), {}, "p__t"],
    ["a number for a text", said('{"content":[{"type":"text","text":1}]}'), {}, "p__t"],
    ["an empty one", said("{}"), {}, "p__t"],
    ["one of several lines", said('{\n"content":[]}'), {}, "p__t"],
    ["one that is no object", said('[3,"x","y",1,2]'), {}, "p__t"],
    ["one with pieces", said("{}", { chunks: { count: 1, digest: "d", texts: ["1"] } }), {}, "p__t"],
    ["one that says it failed", said("{}", { isError: true }), {}, "p__t"],
    ["of a tool with an outward name", said("{}"), { capabilityId: "t.alias" }, "p__t"],
    ["with earlier events", said("{}"), { evidenceIds: ["evt_1", "evt_2"] }, "p__t"],
    ["of a clock that was set back", said("{}"), { completedAt: 1 }, "p__t"],
    ["of a call that never began", said("{}"), { startedAt: null }, null],
    ["an error of the server", { kind: "error", code: -32603, json: rawJson('{"code":-32603}') }, {}, "p__t"],
  ])("comes back as it was: %s", (_, ending, more, tool) => {
    const record = { ...RECORD, ...more };
    const text = encodeReply({ call: CALL, tool, record }, ending);
    expect(text).not.toContain("\n");
    const { invocationId, correlation } = LOGGED;
    expect(decodeReply(text ?? "", LOGGED)).toEqual({
      call: CALL,
      tool,
      outcome: "success",
      ending,
      record: { ...record, invocationId, correlation },
    });
  });

  it.each([
    ["the same name", "p__t"],
    ["an outward name", "t.alias"],
  ])("says of a call that began, under %s, that nobody knows", (_, capabilityId) => {
    const text = unknownReply(CALL, "p__t", capabilityId);
    const read = decodeReply(text, { ...LOGGED, capabilityId: ":5BREDACTED:5D", outcome: null });
    expect(read).toMatchObject({ call: CALL, tool: "p__t", outcome: "indeterminate", record: { capabilityId } });
  });

  it.each([
    ["as earlier versions had it", `[3,"${CALL}","p__t",1700000000000,12]{"n":1.0}`, '{"n":1.0}'],
    ["of a single text", `4${CALL},p__t,1700000000000,12"x"`, '{"content":[{"type":"text","text":"x"}]}'],
  ])("is read %s", (_, text, json) => {
    const { invocationId, correlation } = LOGGED;
    const record = { ...RECORD, invocationId, correlation };
    const answer = { call: CALL, tool: "p__t", outcome: "success", ending: said(json), record };
    expect(decodeReply(text, LOGGED)).toEqual(answer);
  });

  it.each([
    '[3,"x"',
    '[3,"x"]',
    '[3,"","p__t",1,2]{}',
    '[3,"x","p__t",1,2]',
    '[3,"x","p__t",1,-2]{}',
    '[4,"x","p__t",1,2]{}',
    "4,p__t,1,2{}",
    "4x,p__t,1,2",
    "4x,p__t,1,2x",
    "4x,p__t,1,-2{}",
    "5x,p__t,1,2{}",
  ])("is nothing when it is damaged: %s", (text) => expect(decodeReply(text, LOGGED)).toBeNull());
});
