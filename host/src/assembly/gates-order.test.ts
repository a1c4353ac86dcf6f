/** Which "no" a caller of a tool hears first where there are several, at a whole host; and that nothing was begun for any of them. */
import { describe, expect, it } from "vitest";
import { JSON_HEADERS, knock, modern } from "../transport/client-for-tests.ts";
import { declare, makeGatedPlace, startGated, tool, type Json } from "./gated-host-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const strict = { inputSchema: { type: "object", properties: { n: { type: "string" } }, required: ["n"] } };
const NAMES = ["denied", "strict", "asked", "all", "off", "hidden", "critical", "few"];
const TOOLS = NAMES.map((name) => tool(name, ["x"], name === "strict" || name === "all" ? strict : {}));

const POLICY = {
  host: { max_risk_tier: "high" },
  rules: [
    { id: "never", match: { tools: ["maya__denied", "maya__all"] }, effect: "deny" },
    { id: "ask", match: { tools: ["maya__asked"] }, effect: "require_approval" },
    { id: "few", match: { tools: ["maya__few"] }, effect: "limit", limit: { per: "host", calls: 1, window_s: 3600 } },
  ],
  capabilities: {
    maya__off: { enabled: false, reason: "Not this week." },
    maya__hidden: { allowed_actors: ["agent://somebody"] },
    maya__critical: { risk_tier: "critical" },
    maya__all: { approval_required: true },
  },
};

const kindOf = async (host: WholeHost, name: string): Promise<string> => {
  const { ending } = await host.call(name, {});
  return ending.kind === "refusal" ? ending.refusal.kind : ending.kind;
};

/** What is heard with nothing declared, and what with all of it. */
const ORDER: readonly (readonly [name: string, missing: string, declared: string])[] = [
  ["none", "unknown_tool", "unknown_tool"],
  ["maya__none", "unknown_tool", "unknown_tool"],
  ["maya__hidden", "not_visible", "not_visible"],
  ["maya__off", "disabled", "disabled"],
  ["maya__denied", "capability_missing", "policy_denied"],
  ["maya__critical", "capability_missing", "policy_denied"],
  ["maya__strict", "capability_missing", "invalid_input"],
  ["maya__asked", "capability_missing", "approval_pending"],
  ["maya__all", "capability_missing", "policy_denied"],
];

describe("what is missing is said", () => {
  it("after what is unknown, hidden or disabled, and before policy, input and approval", async () => {
    const place = makeGatedPlace({ tools: TOOLS, settings: { policy: POLICY, capabilities: {} } });
    const host = await startGated(place);
    const heard = async (): Promise<string[]> => {
      const kinds: string[] = [];
      for (const [name] of ORDER) kinds.push(await kindOf(host, name));
      return kinds;
    };
    expect(await heard()).toEqual(ORDER.map(([, missing]) => missing));
    expect(await host.approvals.list()).toEqual([]);
    expect(place.evidence().filter(({ event_type }) => event_type.startsWith("approval_"))).toEqual([]);
    await declare(host, "x");
    expect(await heard()).toEqual(ORDER.map(([, , declared]) => declared));
    expect(place.effects()).toEqual([]);
  });

  it("without using up a place within a limit", async () => {
    const place = makeGatedPlace({ tools: TOOLS, settings: { policy: POLICY, capabilities: {} } });
    const host = await startGated(place);
    for (const _ of [1, 2, 3]) expect(await kindOf(host, "maya__few")).toBe("capability_missing");
    await declare(host, "x");
    expect([await kindOf(host, "maya__few"), await kindOf(host, "maya__few")]).toEqual(["result", "rate_limited"]);
    expect(place.effects()).toEqual(["few"]);
  });

  it("while the bundle is starting and never comes up, also to those whose host began anew meanwhile", async () => {
    const place = makeGatedPlace({ tools: [tool("needy", ["x"]), tool("free")], settings: { capabilities: {} } });
    const host = await startGated(place);
    place.silence();
    await host.bundles.restart("maya");
    await host.until("maya", "starting");
    expect([await kindOf(host, "maya__needy"), host.stateOf("maya")]).toEqual(["capability_missing", "starting"]);
    await host.stop();
    const again = await place.start();
    await again.until("maya", "starting");
    expect([await kindOf(again, "maya__needy"), again.stateOf("maya")]).toEqual(["capability_missing", "starting"]);
    expect(place.effects()).toEqual([]);
  });
});

it("what cannot be read suspends that tool alone, whatever is declared, and no other", async () => {
  const bad: readonly unknown[] = ["x", 7, { x: true }, [1], ["x", null], [["x"]], true];
  const place = makeGatedPlace({
    tools: [...bad.map((required, n) => tool(`bad${n}`, required)), tool("null", null), tool("needy", ["x"])],
    settings: { capabilities: { declared: ["x"] } },
  });
  const host = await startGated(place);
  for (const n of bad.keys()) {
    const { ending } = await host.call(`maya__bad${n}`, {});
    expect([n, ending]).toMatchObject([
      n,
      {
        kind: "refusal",
        stage: 5,
        refusal: { kind: "suspended", details: { reason: "capability_declaration_invalid" } },
      },
    ]);
  }
  expect([await kindOf(host, "maya__null"), await kindOf(host, "maya__needy")]).toEqual(["result", "result"]);
  expect(place.effects()).toEqual(["null", "needy"]);
  const { json } = await host.rest("GET", "/v1/tools");
  const rows = (json.tools as Json[]).filter(({ provider }) => provider === "maya");
  expect(rows.map(({ name, state }) => [name, state])).toEqual([
    ...[...bad.keys()].map((n) => [`maya__bad${n}`, "suspended"]),
    ["maya__needy", "invokable"],
    ["maya__null", "invokable"],
  ]);
});

it("what the operator requires by pattern, and declares for one provider, counts on the wire and after a reload", async () => {
  const capabilities = (require: object, providers: object): Json => ({
    capabilities: { declared: ["a"], require, providers },
  });
  const place = makeGatedPlace({
    tools: [tool("needy", ["a", "b"]), tool("free")],
    settings: capabilities({ "maya__*": ["op"], "other__*": ["never"], "*__free": ["free", "op"] }, {}),
  });
  const host = await startGated(place);
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${host.key}` };
  const rpc = async (method: string, params: Json): Promise<Json> =>
    (await knock(host.origin, modern(method, params, headers))).json as Json;
  const seen = async (): Promise<Json> => {
    const { result } = await rpc("tools/list", {});
    const all: Json = {};
    for (const name of ["maya__needy", "maya__free"]) {
      const { error } = await rpc("tools/call", { name, arguments: {} });
      const dcc = result.tools.find((each: Json) => each["name"] === name)._meta.dcc as Json;
      expect(dcc["missing_capabilities"]).toEqual(error?.data.missing);
      if (error) expect(dcc["required_capabilities"]).toEqual(error.data.required);
      all[name] = [dcc["required_capabilities"], error?.data.missing ?? [], error?.data.declared ?? null];
    }
    return all;
  };
  expect(await seen()).toEqual({
    maya__needy: [["a", "b", "op"], ["b", "op"], ["a"]],
    maya__free: [["op", "free", "op"], ["op", "free", "op"], ["a"]],
  });
  const { error } = await rpc("tools/call", { name: "maya__free", arguments: {} });
  expect(error.message).toBe("capability_missing: tool 'maya__free' requires op, free, op");
  expect(error.data.next).toBe("Declare op, free for this host: bailiwick capabilities add op free");

  place.settle(capabilities({ "maya__*": ["op"] }, { maya: ["b"], other: ["op"] }));
  await host.bundles.reload();
  expect(await seen()).toEqual({
    maya__needy: [["a", "b", "op"], ["op"], ["a", "b"]],
    maya__free: [["op"], ["op"], ["a", "b"]],
  });
  place.settle(capabilities({ "maya__*": ["op"] }, { maya: ["op", "b"] }));
  await host.bundles.reload();
  expect(await seen()).toEqual({ maya__needy: [["a", "b", "op"], [], null], maya__free: [["op"], [], null] });
  expect(place.effects()).toEqual(["needy", "free"]);
  expect(place.changes()).toHaveLength(2);
});
