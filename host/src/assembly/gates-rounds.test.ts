/** A server asks back in the middle of a call, and meanwhile the host no longer declares what the tool requires. */
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { needing, openGate } from "../call/gate-for-tests.ts";
import { caller, result as resultOf } from "../call/path-for-tests.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { JSON_HEADERS, knock, modern } from "../transport/client-for-tests.ts";
import { META_CAPABILITIES } from "../transport/protocol.ts";
import type { Json } from "./gated-host-for-tests.ts";
import { makePlace, type Place } from "./whole-host-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/modern-asking-server.mjs", import.meta.url));

interface Asking {
  readonly place: Place;
  readonly call: (more?: Json) => Promise<Json>;
  readonly declare: (...names: readonly string[]) => Promise<unknown>;
  /** Begins a call; returns what its caller comes back with. */
  readonly begin: () => Promise<Json>;
  /** How often the server was sent a call. */
  readonly received: () => Promise<number>;
}

const openAsking = async (): Promise<Asking> => {
  const place = makePlace();
  const mcp_config = { command: "node", args: [SERVER, "stdio"] };
  const path = place.bundle("asking", { server: { type: "node", entry_point: "server.mjs", mcp_config } });
  place.configure({ bundles: [{ path }], capabilities: { declared: ["x"], require: { asking__input: ["x"] } } });
  const host = await place.start();
  await host.until("asking", "running");
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${host.key}` };
  const _meta = { [META_CAPABILITIES]: { elicitation: { form: {} } } };
  const call = async (more: Json = {}, name = "asking__input"): Promise<Json> =>
    (await knock(host.origin, modern("tools/call", { name, arguments: {}, _meta, ...more }, headers))).json as Json;
  return {
    place,
    call,
    declare: (...names) => host.capabilities.declare(names),
    async begin() {
      const { result } = await call();
      expect(result).toMatchObject({ resultType: "input_required" });
      return { requestState: result.requestState, inputResponses: { a: { action: "accept", content: {} } } };
    },
    received: async () => (await call({}, "asking__count"))["result"].received.input as number,
  };
};

it("a call that comes back with the answers its server wanted ends normally; the same answers do not begin another", async () => {
  const { place, call, declare, begin, received } = await openAsking();
  const back = await begin();
  await declare();
  expect((await call()).error).toMatchObject({ code: -32001, data: { kind: "capability_missing" } });
  expect((await call(back)).result).toMatchObject({ resultType: "complete" });
  expect((await call(back)).error).toMatchObject({ code: -32001, data: { kind: "capability_missing" } });
  expect(await received()).toBe(2);
  const types = place.evidence().map(({ event_type: type }) => type.replace("dev.bailiwick.", ""));
  expect(types.filter((type) => /^execution|^round/.test(type))).toEqual([
    "execution_started",
    "execution_denied",
    "round",
    "execution_completed",
    "execution_denied",
    "execution_started",
    "execution_completed",
  ]);
});

const QUESTION = '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}}}';

it("of answers that come twice in one moment, one ends the call and the others meet the gate", async () => {
  const value = JSON.parse(QUESTION) as Json;
  const gate = openGate({
    tools: [needing("t", "x")],
    capabilities: { declared: ["x"] },
    answering: (_, nth) =>
      nth === 1
        ? { kind: "partial", resultType: "input_required", json: rawJson(QUESTION), value }
        : resultOf('{"content":[]}'),
  });
  onTestFinished(() => gate.path.close());
  const asker = caller('{"elicitation":{"form":{}}}', undefined, true);
  const { ending } = await gate.call("maya__t", { asker });
  if (ending.kind !== "input") throw new Error(`it ended: ${ending.kind}`);
  const { continues } = ending.wanted;
  gate.replace({ declared: [] });
  const back = { asker, continues, input: { responses: rawJson("{}"), state: null } };
  const said = await Promise.all([1, 2, 3].map(() => gate.call("maya__t", back)));
  const kinds = said.map((each) => (each.ending.kind === "refusal" ? each.ending.refusal.kind : each.ending.kind));
  expect(kinds).toEqual(["result", "capability_missing", "capability_missing"]);
  expect(gate.sent).toHaveLength(2);
});
