/** Whatever a client writes to the pipe: each request is answered once, and nothing it says breaks the door. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { openTestDoor } from "./door-for-tests.ts";
import { META_CAPABILITIES, META_VERSION, MODERN_VERSION } from "./protocol.ts";
import { openTalk } from "./talk-for-tests.ts";

const id = fc.oneof(fc.integer(), fc.string({ maxLength: 8 }));
const method = fc.constantFrom(
  "tools/call",
  "tools/list",
  "ping",
  "initialize",
  "resources/read",
  "x",
  "server/discover",
);
const params = fc.oneof(
  fc.constant(undefined),
  fc.record({ name: fc.constantFrom("echo", "chatty", "nothing"), uri: fc.webUrl() }, { requiredKeys: [] }),
  fc.jsonValue(),
);
const meta = fc.constantFrom(
  {},
  { _meta: { [META_VERSION]: MODERN_VERSION, [META_CAPABILITIES]: {} } },
  { _meta: { [META_VERSION]: 5 } },
);
const message = fc.tuple(fc.option(id, { nil: undefined }), method, params, meta).map(([own, name, given, extra]) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: own,
    method: name,
    params: typeof given === "object" && given !== null && !Array.isArray(given) ? { ...given, ...extra } : given,
  }),
);
const deep = fc.integer({ min: 1, max: 40_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth));
const line = fc.oneof(
  { weight: 6, arbitrary: message },
  { weight: 2, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 4 }).map((all) => `[${all.join(",")}]`) },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: fc.constant('{"jsonrpc":"2.0","id":"bw-1","result":{}}') },
);

it("answers a ping after anything, with one line for each that can be answered", async () => {
  const door = await openTestDoor({ timings: { closeMs: 200 } });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.boolean(), async (lines, opened) => {
      const talk = openTalk(door);
      if (opened) await talk.initialize();
      for (const each of lines) talk.write(`${each.replaceAll("\n", " ")}\n`);
      talk.request("the last", "ping");
      await talk.answer("the last");
      talk.endInput();
      await talk.over;
      const answers = talk.heard.filter((said) => Array.isArray(said) || said.method === undefined).length;
      expect(answers).toBeLessThanOrEqual(lines.length + (opened ? 2 : 1));
      expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 });
    }),
    { numRuns: 150 },
  );
  expect(door.bugs).toEqual([]);
  await door.listener.close();
});
