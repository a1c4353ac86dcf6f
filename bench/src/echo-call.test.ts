import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findEchoDefect, writeEcho } from "./echo-call.ts";
import { ROOT } from "./places.ts";

const CHP = { wire: "chp", tool: "echo__echo" } as const;
const SCHEMA = join(ROOT, "host", "test", "chp-schemas", "invocation-envelope.schema.json");

const answerTo = (request: string, more: object = {}): string => {
  const { invocation_id, payload } = JSON.parse(request) as { invocation_id: string; payload: { text: string } };
  return JSON.stringify({
    invocation_id,
    outcome: "success",
    data: { content: [{ type: "text", text: payload.text }] },
    ...more,
  });
};

test("a call over CHP is a whole envelope, and no two have an id in common", () => {
  const { required, properties } = JSON.parse(readFileSync(SCHEMA, "utf8")) as {
    required: string[];
    properties: Record<string, unknown>;
  };
  const first = JSON.parse(writeEcho(CHP, { id: 1, text: "a" })) as Record<string, unknown>;
  const second = JSON.parse(writeEcho(CHP, { id: 2, text: "a" })) as Record<string, unknown>;
  for (const key of required) expect(first).toHaveProperty(key);
  expect(Object.keys(first).filter((key) => !(key in properties))).toEqual([]);
  expect(first["invocation_id"]).not.toBe(second["invocation_id"]);
  expect(first["correlation"]).not.toEqual(second["correlation"]);
});

test("an answer over CHP is right only if it is the echo of this very call", () => {
  const call = { id: 7, text: "seven" };
  const request = writeEcho(CHP, call);
  expect(findEchoDefect(CHP, answerTo(request), call)).toBeNull();
  expect(findEchoDefect(CHP, answerTo(request), { id: 8, text: "seven" })).toContain("answered");
  expect(findEchoDefect(CHP, answerTo(request), { id: 7, text: "eight" })).toContain("wrong answer");
  expect(findEchoDefect(CHP, answerTo(request, { outcome: "failure" }), call)).toContain("wrong answer");
  expect(findEchoDefect(CHP, answerTo(request, { outcome: "denied", data: null }), call)).toContain("denied");
  expect(findEchoDefect(CHP, '{"error":{"code":"bad_request"}}', call)).toContain("bad_request");
});

test("an answer over MCP is right only with the id and the text of its call", () => {
  const answer = JSON.stringify({ jsonrpc: "2.0", id: 3, result: { content: [{ type: "text", text: "three" }] } });
  expect(findEchoDefect({ wire: "http" }, answer, { id: 3, text: "three" })).toBeNull();
  expect(findEchoDefect({ wire: "http" }, answer, { id: 4, text: "three" })).toBe("asked 4, answered 3");
  expect(findEchoDefect({ wire: "http" }, answer, { id: 3, text: "four" })).toContain("wrong answer");
});

test("a call whose id the host makes has none, and its answer is told by its text", () => {
  const target = { ...CHP, hostIds: true } as const;
  const call = { id: 7, text: "seven" };
  const request = writeEcho(target, call);
  expect(JSON.parse(request)).not.toHaveProperty("invocation_id");
  const answer = answerTo(request, { invocation_id: "inv_of_the_host" });
  expect(findEchoDefect(target, answer, call)).toBeNull();
  expect(findEchoDefect(target, answer, { id: 7, text: "eight" })).toContain("wrong answer");
  expect(findEchoDefect(target, answerTo(request), call)).toContain("answered undefined");
});
