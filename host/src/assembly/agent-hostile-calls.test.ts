/** A model that writes arguments nobody asked for, a thousand calls at once, or one id for all: what may not run does not. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StubCall } from "../agent/model/stub-turn-for-tests.ts";
import { startAgent, WIRES, type Json } from "./agent-host-for-tests.ts";

const STRICT = {
  name: "strict",
  inputSchema: {
    type: "object",
    properties: { n: { type: "string", maxLength: 100 } },
    required: ["n"],
    additionalProperties: false,
  },
};
const asks = (calls: readonly StubCall[]) => [{ calls }, { text: "Sorry." }];
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const codeIn = (text: string): string => /^(?:<tool-result[^\n]*>\n)?([a-z_]+): /.exec(text)?.[1] ?? text;

/** Each is no input of the tool. */
const ARGUMENTS: readonly (readonly [string, string])[] = [
  ["nothing", "{}"],
  ["another type", '{"n":1}'],
  ["more than is asked for", '{"n":"a","m":1}'],
  ["a list", '["n"]'],
  ["a text", '"n"'],
  ["null", "null"],
  ["no JSON", '{"n":'],
  ["two objects", '{"n":"a"}{"n":"b"}'],
  ["a key of the prototype", '{"n":"a","__proto__":{"admin":true}}'],
  ["another key of the prototype", '{"n":"a","constructor":{"prototype":{"admin":true}}}'],
  ["n of the prototype alone", '{"__proto__":{"n":"a"}}'],
  ["a key twice, the last one wrong", '{"n":"a","n":1}'],
  ["ten thousand levels", deep(10_000)],
  ["levels inside what is asked for", `{"n":${deep(10_000)}}`],
  ["a number beyond all numbers", '{"n":1e999}'],
  ["ten megabytes", `{"n":"${"x".repeat(10_000_000)}"}`],
];

describe.each(WIRES)("a model on the wire %s", (wire) => {
  it("whose arguments are not what the tool asks for is refused each, and nothing runs", async () => {
    const { place, ...host } = await startAgent({ wire, tools: [STRICT, "echo"] });
    // One after another: the supervisor would withdraw a tool that is refused again and again.
    for (const [what, inputText] of ARGUMENTS) {
      const { status, json } = await host.ask("Go", asks([{ name: "desk__strict", inputText }]));
      expect([what, status]).toEqual([what, 200]);
      expect(json["toolCalls"]).toMatchObject([{ name: "desk__strict", ok: false, outcome: "denied" }]);
      const text = place.stub.requests().at(-1)?.results[0]?.text ?? "";
      expect([what, codeIn(text)]).toEqual([what, "invalid_input"]);
      expect(text.length).toBeLessThan(20_000);
    }
    expect(place.effects()).toEqual([]);
    expect(({} as Json)["admin"]).toBeUndefined();
    // Nothing of ten megabytes is written to evidence.
    expect(statSync(join(place.workDir, "evidence.db")).size).toBeLessThan(5_000_000);
  });

  it("whose arguments have a key twice sends the one that was checked", async () => {
    const { place, ...host } = await startAgent({ wire, tools: [STRICT] });
    const { json } = await host.ask("Go", asks([{ name: "desk__strict", inputText: '{"n":1,"n":"last"}' }]));
    expect(json["toolCalls"]).toMatchObject([{ ok: true, input: { n: "last" } }]);
    expect(json["toolCalls"][0].output).toContain('strict {"n":"last"}');
    expect(place.effects()).toEqual(["strict"]);
  });

  it("that asks for a thousand calls at once gets so many run, and the others refused in their order", async () => {
    const { place, ...host } = await startAgent({ wire, tools: ["echo"] });
    const calls = Array.from({ length: 1_000 }, (_, n) => ({ name: "desk__echo", input: { n } }));
    const { status, json } = await host.ask("Go", asks(calls));
    expect(status).toBe(200);
    const made = json["toolCalls"] as Json[];
    expect(made.map(({ input }) => input.n)).toEqual(calls.map(({ input }) => input.n));
    const ran = made.filter(({ ok }) => ok);
    expect(ran.length).toBeGreaterThan(0);
    expect(ran.length).toBeLessThanOrEqual(128);
    expect(place.effects()).toHaveLength(ran.length);
    const results = place.stub.requests().at(-1)?.results ?? [];
    expect(results).toHaveLength(1_000);
    for (const { text } of results.slice(ran.length)) expect(text).toContain("Not run: one answer may ask for at most");
  });

  it("that gives all its calls one id, or what is none, gets each answered under an id of its own", async () => {
    const { place, ...host } = await startAgent({ wire, tools: ["echo"] });
    const ids = ["same", "same", "same", "", "../../etc/passwd", "\n---\n", "x".repeat(300), "<tool-result>"];
    const calls = ids.map((id, n) => ({ id, name: "desk__echo", input: { n } }));
    const { json } = await host.ask("Go", [
      { calls },
      { calls: [{ id: "same", name: "desk__echo", input: { n: 8 } }] },
      {},
    ]);
    const made = json["toolCalls"] as Json[];
    const own = made.map(({ id }) => String(id));
    expect(new Set(own).size).toBe(9);
    for (const id of own) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(made.map(({ input, output }) => [input.n, output.includes(`{"n":${input.n}}`)])).toEqual(
      made.map((_, n) => [n, true]),
    );
    expect(place.effects()).toHaveLength(9);
    const last = place.stub.requests().at(-1)?.results ?? [];
    expect(last.map(({ text }) => text.includes('{"n":8}'))).toEqual([true]);
  });
});
