/** Questions, states and answers of any spelling, through all four cells. */
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { serveScripts, UPSTREAMS } from "./fidelity-cells-for-tests.ts";
import { openLegacyTalk, openModernTalk, type Talk } from "./fidelity-cells-wire-for-tests.ts";
import { oddResult } from "./odd-json-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";

let host: Served;
const talks = new Map<string, Talk>();

beforeAll(async () => {
  host = await serveScripts();
  for (const upstream of UPSTREAMS) {
    const url = `${host.mcpUrl}/providers/${upstream}`;
    talks.set(`legacy ${upstream}`, await openLegacyTalk(url, host.key));
    talks.set(`modern ${upstream}`, await openModernTalk(url, host.key));
  }
  return () => host.stop();
});

const CELLS = ["legacy", "modern"].flatMap((client) => UPSTREAMS.map((upstream) => ({ client, upstream })));

/** A member that nobody knows beside those that a question or an answer must have. */
const question = oddResult.map((odd) => `{"message" : "m","requestedSchema":{"type":"object"},"odd":${odd} }`);
const answer = oddResult.map((odd) => `{ "odd":${odd},"action":"accept"}`);
const state = fc.string({ unit: "binary", maxLength: 20 }).map((text) => JSON.stringify(text));

let marks = 0;

it("cross as they were written", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ cell: fc.constantFrom(...CELLS), question, answer, state, end: oddResult }),
      async ({ cell, ...said }) => {
        const talk = talks.get(`${cell.client} ${cell.upstream}`) as Talk;
        const mark = `any ${++marks}`;
        const questions = [{ key: '"k"', method: "elicitation/create", params: said.question }];
        const rounds = [{ questions, state: said.state, extra: '"x":1' }];
        const call = (name: string, args: object) =>
          talk(
            { method: "tools/call", params: `"name":"${name}","arguments":${JSON.stringify(args)}`, name },
            () => `"result":${said.answer}`,
          );
        const { asked, said: result } = await call("script", { mark, rounds, end: `"result":${said.end}` });
        expect(asked).toHaveLength(1);
        expect(asked[0]).toContain(said.question);
        expect(result.endsWith(said.end.slice(1))).toBe(true);
        const heard = await call("heard", { mark });
        const [, line = ""] = (JSON.parse(`{${heard.said}}`) as { result: { lines: string[] } }).result.lines;
        expect(line).toContain(said.answer);
        if (cell.upstream.startsWith("modern")) expect(line).toContain(`"requestState":${said.state}`);
      },
    ),
    { numRuns: 200 },
  );
});
