/** The documents, and tools that have other tools work for them, at every door of a whole host: the same words and the same rules. */
import { describe, expect, it } from "vitest";
import { knock, modern, openSession } from "../transport/client-for-tests.ts";
import { startAgent } from "./agent-host-for-tests.ts";
import { configs, lastOf, openView, saveConfigs, toldOf, UNASKED, type Json } from "./compose-view-for-tests.ts";
import { runCli } from "./gated-doors-for-tests.ts";
import type { Event } from "./governed-host-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const TYPES = ["", "server", "tools", "resources", "generators", "host", "skills", "tools/compose"];
const SAVED = [
  configs.content("one", { type: "template_fill", template: "One." }),
  configs.content("two", { type: "template_fill", template: "Two." }),
  configs.content("coded", { type: "code_generation", specification: "Print one." }),
  configs.artifact("both", [{ id: "one" }, { id: "two" }]),
];
const BATCH = { content_ids: ["one", "two"] };

const start = async (settings: object = {}): Promise<{ place: Place; host: WholeHost }> => {
  const place = makePlace();
  place.configure(UNASKED);
  const host = await place.start();
  await saveConfigs(await openView(host), ...SAVED);
  place.configure({ ...UNASKED, ...settings });
  await host.bundles.reload();
  return { place, host };
};

const bearer = ({ key }: WholeHost): Record<string, string> => ({ authorization: `Bearer ${key}` });

describe("a document", () => {
  /** What is added to evidence by reading it. */
  const still = (text: string): string => text.replace(/"position":\d+/, '"position":0');

  it("is the same to the last byte over MCP of both eras and over REST", async () => {
    const { host } = await start();
    const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
    for (const type of TYPES) {
      const params = { uri: `capabilities://${type}` };
      const [legacy] = lastOf(await session.call("resources/read", params))["result"].contents as Json[];
      const asked = lastOf(await knock(host.origin, modern("resources/read", params, bearer(host))));
      const [newer] = asked["result"].contents as Json[];
      expect([asked["result"].ttlMs, asked["result"].cacheScope]).toEqual([0, "private"]);
      const path = type === "" ? "/v1/capabilities" : `/v1/capabilities/${type}`;
      const rest = await knock(host.origin, { method: "GET", path, headers: bearer(host) });
      expect([rest.status, rest.headers["content-type"], rest.headers["cache-control"]]).toEqual([
        200,
        "application/json",
        "no-store",
      ]);
      for (const content of [legacy, newer]) {
        expect(content).toMatchObject({ ...params, mimeType: "application/json" });
        expect(still(content?.["text"] as string)).toBe(still(rest.text));
      }
    }
  });

  it.each(["nope", "tools/nobody", "server/x", "TOOLS"])(
    "that there is not is not found at any door: %s",
    async (type) => {
      const { host } = await start();
      const uri = `capabilities://${type}`;
      const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
      const legacy = lastOf(await session.call("resources/read", { uri }))["error"] as Json;
      const newer = lastOf(await knock(host.origin, modern("resources/read", { uri }, bearer(host))))["error"] as Json;
      const rest = await host.rest("GET", `/v1/capabilities/${type}`);
      expect([legacy["code"], newer["code"]]).toEqual([-32002, -32602]);
      const known = expect.arrayContaining(["capabilities://tools"]);
      for (const { data } of [legacy, newer]) expect(data).toMatchObject({ kind: "resource_not_found", uri, known });
      expect(rest.status).toBe(404);
      // A path of REST that has no document has no route either.
      if (type !== "server/x")
        expect(rest.json).toMatchObject({
          error: "resource_not_found",
          data: { kind: "resource_not_found", uri, known },
        });
    },
  );
});

const eventsOf = (place: Place): readonly Event[] => place.evidence() as readonly Event[];
const startsOf = (events: readonly Event[], name: string): readonly Event[] =>
  events.filter(({ event_type, capability_id }) => event_type === "execution_started" && capability_id === name);

/** Each child is a call of its own, begun by `parent` and by the same one. */
const holdChildren = (events: readonly Event[], parent: string, count: number): void => {
  const [own, ...more] = startsOf(events, parent);
  expect([own === undefined, more.length]).toEqual([false, 0]);
  const children = startsOf(events, "compose__generate_content");
  expect(children).toHaveLength(count);
  for (const child of children) {
    expect(child.invocation_id).not.toBe(own!.invocation_id);
    expect(child.correlation).toMatchObject({
      correlation_id: own!.correlation.correlation_id,
      causation_id: own!.invocation_id,
    });
    expect(child.subject).toEqual(own!.subject);
    const ends = events.filter(
      ({ event_type, invocation_id }) => event_type === "execution_completed" && invocation_id === child.invocation_id,
    );
    expect(ends).toHaveLength(1);
  }
};

type Call = (flat: string, args: object) => Promise<Json>;

const doorsOf = async (host: WholeHost): Promise<Readonly<Record<string, Call>>> => {
  const [legacy, own] = [await openView(host), await openView(host, { path: "/mcp/providers/compose" })];
  return {
    "MCP legacy": legacy.call,
    "MCP of the provider": own.call,
    "MCP modern": async (name, args) =>
      toldOf(lastOf(await knock(host.origin, modern("tools/call", { name, arguments: args }, bearer(host))))),
    REST: async (name, args) =>
      (await host.rest("POST", "/v1/tools/call", { name, arguments: args })).json.structuredContent as Json,
    CHP: async (capability_id, payload) => {
      const { data, error } = (await host.rest("POST", "/chp/invoke", { capability_id, payload })).json as Json;
      return (data ?? error.details) as Json;
    },
    program: async (name, args) => {
      const { ending } = await host.call(name, { ...args });
      return ending.kind === "result" ? (JSON.parse(ending.json)["structuredContent"] as Json) : { ...ending };
    },
  };
};

describe("work that a tool has done by another", () => {
  it("is a call of its own in evidence, caused by the first one, at every door", async () => {
    const { place, host } = await start();
    for (const [door, call] of Object.entries(await doorsOf(host))) {
      let since = eventsOf(place).length;
      expect([door, await call("compose__batch_generate_content", { ...BATCH, force: true })]).toMatchObject([
        door,
        { success: true, status: "batch_complete", total: 2 },
      ]);
      holdChildren(eventsOf(place).slice(since), "compose__batch_generate_content", 2);
      await call("compose__delete_content", { content_id: "one", force: true });
      since = eventsOf(place).length;
      const args = { artifact_config_id: "both", generate_missing: true, force: true };
      expect([door, await call("compose__assemble_artifact", args)]).toMatchObject([door, { content_count: 2 }]);
      holdChildren(eventsOf(place).slice(since), "compose__assemble_artifact", 1);
    }
  });

  it("is so where the agent calls it", async () => {
    const { place, ...host } = await startAgent({ settings: UNASKED });
    await saveConfigs(await openView(host), ...SAVED);
    const since = eventsOf(place).length;
    const turns = [{ calls: [{ name: "compose__batch_generate_content", input: BATCH }] }, { text: "Done." }];
    const { json } = await host.ask("make both", turns);
    const events = eventsOf(place).slice(since);
    holdChildren(events, "compose__batch_generate_content", 2);
    for (const { correlation } of startsOf(events, "compose__generate_content"))
      expect(correlation.correlation_id).toBe(json["runId"]);
  });

  const ruled = (effect: string): object => ({
    policy: {
      ...UNASKED.policy,
      rules: [...UNASKED.policy.rules, { id: "mine", match: { tools: ["compose__generate_content"] }, effect }],
    },
  });

  it("is denied where policy denies it, whoever asks for it, and nothing is stored", async () => {
    const { place, host } = await start(ruled("deny"));
    for (const [door, call] of Object.entries(await doorsOf(host))) {
      const since = eventsOf(place).length;
      const batch = await call("compose__batch_generate_content", BATCH);
      expect([door, batch]).toMatchObject([door, { success: false, status: "batch_failed", failed: 2 }]);
      expect(batch["errors"]).toMatchObject([
        { content_id: "one", code: "policy_denied" },
        { content_id: "two", code: "policy_denied" },
      ]);
      const missing = await call("compose__assemble_artifact", { artifact_config_id: "both", generate_missing: true });
      expect([door, missing["error"]]).toMatchObject([
        door,
        { code: "content_missing", details: { missing_content: ["one", "two"] } },
      ]);
      for (const { code } of missing["error"].details.causes as Json[]) expect(code).toBe("policy_denied");
      const denied = eventsOf(place)
        .slice(since)
        .filter(
          ({ event_type, capability_id }) => /denied/.test(event_type) && capability_id === "compose__generate_content",
        );
      expect(denied.length).toBeGreaterThanOrEqual(3);
      for (const { correlation } of denied) expect(correlation).toHaveProperty("causation_id", expect.any(String));
    }
    expect(await (await openView(host)).read("content://")).toMatchObject({ total: 0 });
  });

  it("waits for a person where policy asks for one, and is done when it was approved", async () => {
    const { host } = await start(ruled("require_approval"));
    const { call } = await openView(host);
    const batch = await call("compose__batch_generate_content", BATCH);
    expect(batch["errors"]).toMatchObject([{ code: "approval_pending" }, { code: "approval_pending" }]);
    const { approvals } = (await host.rest("GET", "/v1/approvals?state=pending")).json as { approvals: Json[] };
    expect(approvals.map(({ tool }) => tool as string)).toEqual(Array(2).fill("compose__generate_content"));
    const [first] = approvals;
    expect((await host.rest("POST", `/v1/approvals/${first?.["id"]}`, { decision: "approve" })).status).toBe(200);
    const again = await call("compose__batch_generate_content", BATCH);
    expect(again).toMatchObject({ success: true, status: "batch_partial", generated: 1, failed: 1 });
  });
});

describe("what a generator needs", () => {
  const ASK = { name: "compose__generate_content", arguments: { content_config_id: "coded" } };
  const preflight = ({ stages }: Json): Json | undefined =>
    (stages as Json[]).find(({ check }) => check === "preflight");
  const explained = async (host: WholeHost): Promise<readonly Json[]> => [
    (await host.rest("POST", "/v1/tools/explain", ASK)).json as Json,
    (await host.rest("POST", "/chp/explain", { capability_id: ASK.name, payload: ASK.arguments })).json as Json,
    { ...(await host.explain(ASK.name, ASK.arguments)) },
  ];

  it("is in an explanation at every door, and the call says the same", async () => {
    const { host } = await start();
    const { error } = await (await openView(host)).call(ASK.name, ASK.arguments);
    expect(error).toMatchObject({ code: "missing_credential", message: "Missing credential: ANTHROPIC_API_KEY" });
    for (const said of await explained(host)) {
      expect(said).toMatchObject({ verdict: "refuse", decided_by: { stage: 10, rule: "preflight" } });
      expect(preflight(said)).toMatchObject({ status: "fail", why: error.message, next: error.details.next });
    }
  });

  it("is there when the host has it, and a tool that makes nothing needs nothing", async () => {
    const { host } = await start({ providers: { anthropic: { type: "anthropic", apiKey: "sk-ant-test" } } });
    for (const said of await explained(host)) {
      expect(said).toMatchObject({ verdict: "run", decided_by: null });
      expect(preflight(said)).toMatchObject({ status: "pass" });
    }
    const listing = (await host.rest("POST", "/v1/tools/explain", { name: "compose__list_content" })).json as Json;
    expect([listing["verdict"], preflight(listing)]).toEqual(["run", undefined]);
  });

  it("is in the list of the terminal, which is the document of the host", async () => {
    const { place, host } = await start();
    const run = (...args: string[]) => runCli(place as Parameters<typeof runCli>[0], "generator", "list", ...args);
    const { code, out } = await run("--json");
    expect([code, JSON.parse(out)]).toEqual([0, (await host.rest("GET", "/v1/capabilities/generators")).json]);
    expect((await run()).out).toMatch(/code_generation +1\.0\.0 +builtin +stable +missing: ANTHROPIC_API_KEY/);
  });
});
