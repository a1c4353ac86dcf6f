import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { makePlace, type WholeHost } from "./whole-host-for-tests.ts";

interface Row {
  readonly what: string;
  readonly ask: readonly [method: string, path: string, body?: object];
  readonly answer: readonly [status: number, error: string | null];
}

const call = (name: string, more: object = {}): Row["ask"] => ["POST", "/v1/tools/call", { name, ...more }];

/** What a whole host answers, of what needs no more than one bundle and some rules. */
const ROWS: readonly Row[] = [
  { what: "a tool", ask: call("echo__echo"), answer: [200, null] },
  {
    what: "a tool by its server",
    ask: ["POST", "/v1/tools/call", { server: "echo", tool: "echo" }],
    answer: [200, null],
  },
  { what: "a tool that nobody has", ask: call("echo__nope"), answer: [404, "unknown_tool"] },
  { what: "a name of nothing", ask: call("nope"), answer: [404, "unknown_tool"] },
  { what: "a tool that a rule forbids", ask: call("echo__denied"), answer: [403, "policy_denied"] },
  { what: "a tool that a person must allow", ask: call("echo__asked"), answer: [202, "approval_pending"] },
  { what: "a tool that is called too often", ask: call("echo__limited"), answer: [429, "rate_limited"] },
  { what: "a list of another time", ask: call("echo__echo", { surface: "old" }), answer: [409, "stale_surface"] },
  { what: "wrong arguments", ask: call("files__list", { arguments: { limit: 0 } }), answer: [422, "invalid_input"] },
  { what: "what a call would become", ask: ["POST", "/v1/tools/explain", { name: "echo__echo" }], answer: [200, null] },
  { what: "a bundle that is there", ask: ["GET", "/v1/apps/echo"], answer: [200, null] },
  { what: "a bundle that is not", ask: ["GET", "/v1/apps/nope"], answer: [404, "not_found"] },
  { what: "starting what runs", ask: ["POST", "/v1/apps/echo/start"], answer: [200, null] },
  { what: "two sources", ask: ["POST", "/v1/apps/install", { name: "a", path: "b" }], answer: [400, "bad_request"] },
  { what: "a protected bundle's end", ask: ["DELETE", "/v1/apps/echo"], answer: [403, "protected"] },
  { what: "a skill that is not", ask: ["GET", "/v1/skills/nope"], answer: [404, "not_found"] },
  { what: "an approval that is not", ask: ["GET", "/v1/approvals/apr_0"], answer: [404, "not_found"] },
  { what: "an event that is not", ask: ["GET", "/v1/evidence/evt_0"], answer: [404, "not_found"] },
  { what: "an odd filter", ask: ["GET", "/v1/evidence?nope=1"], answer: [400, "bad_request"] },
  { what: "a file that is not", ask: ["GET", "/v1/files/fl_0"], answer: [404, "resource_not_found"] },
  { what: "tools", ask: ["GET", "/v1/tools"], answer: [200, null] },
  { what: "providers", ask: ["GET", "/v1/providers"], answer: [200, null] },
  { what: "bundles", ask: ["GET", "/v1/apps"], answer: [200, null] },
  { what: "skills", ask: ["GET", "/v1/skills"], answer: [200, null] },
  { what: "approvals", ask: ["GET", "/v1/approvals"], answer: [200, null] },
  { what: "evidence", ask: ["GET", "/v1/evidence?limit=5"], answer: [200, null] },
  { what: "files", ask: ["GET", "/v1/files"], answer: [200, null] },
  { what: "keys", ask: ["GET", "/v1/keys"], answer: [200, null] },
  { what: "a new key", ask: ["POST", "/v1/keys", { name: "laptop" }], answer: [201, null] },
  { what: "the end of a key", ask: ["DELETE", "/v1/keys/laptop"], answer: [200, null] },
  { what: "the host's keys", ask: ["GET", "/v1/host-key"], answer: [200, null] },
  { what: "the policy", ask: ["GET", "/v1/policy"], answer: [200, null] },
  { what: "capabilities", ask: ["GET", "/v1/host/capabilities"], answer: [200, null] },
  { what: "roots", ask: ["GET", "/v1/roots"], answer: [200, null] },
  { what: "the log of a bundle", ask: ["GET", "/v1/apps/echo/logs"], answer: [200, null] },
  { what: "health", ask: ["GET", "/v1/health"], answer: [200, null] },
  { what: "conversations", ask: ["GET", "/v1/conversations"], answer: [200, null] },
  { what: "no conversation", ask: ["GET", "/v1/conversations/conv_000000/history"], answer: [404, "not_found"] },
  { what: "an odd conversation", ask: ["GET", "/v1/conversations/..%2Fx/history"], answer: [400, "bad_request"] },
  { what: "a run that is not", ask: ["GET", "/v1/runs/run_0/prompt"], answer: [404, "not_found"] },
  {
    what: "a message without a model",
    ask: ["POST", "/v1/chat", { message: "Hi" }],
    answer: [503, "model_unconfigured"],
  },
  {
    what: "a stream without a model",
    ask: ["POST", "/v1/chat/stream", { message: "Hi" }],
    answer: [503, "model_unconfigured"],
  },
  { what: "the prompt", ask: ["POST", "/v1/prompt", { message: "Hi" }], answer: [200, null] },
  { what: "the skill of a message", ask: ["POST", "/v1/skills/match", { message: "Hi" }], answer: [200, null] },
  {
    what: "an unknown skill",
    ask: ["POST", "/v1/prompt", { message: "Hi", skill: "nope" }],
    answer: [400, "bad_request"],
  },
  { what: "who one is", ask: ["GET", "/v1/auth/session"], answer: [200, null] },
  { what: "the description", ask: ["GET", "/v1/openapi.json"], answer: [200, null] },
];

const startHost = async (): Promise<WholeHost> => {
  const place = makePlace();
  const path = place.bundle("echo", {}, { STEERED_TOOLS: "denied,asked,limited" });
  place.configure({
    bundles: [{ path, protected: true }],
    policy: {
      rules: [
        { id: "no", match: { tools: ["echo__denied"] }, effect: "deny" },
        { id: "ask", match: { tools: ["echo__asked"] }, effect: "require_approval" },
        {
          id: "few",
          match: { tools: ["echo__limited"] },
          effect: "limit",
          limit: { calls: 1, window_s: 3600, per: "principal" },
        },
      ],
    },
  });
  const host = await place.start();
  await host.until("echo", "running");
  return host;
};

/** Whether an answer is as the host itself describes it; null: it is. */
const createDescription = (document: any) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "doc:", ...document });
  const paths = Object.keys(document.paths as object);
  const matches = (path: string, template: string): boolean =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
  return ([method, target]: Row["ask"], status: number, json: unknown): string | null => {
    const path = target.split("?")[0] ?? "";
    const template = paths.find((each) => each === path) ?? paths.find((each) => matches(path, each)) ?? "";
    const said = document.paths[template]?.[method.toLowerCase()]?.responses[status];
    if (said === undefined) return `${status} is not described`;
    const schema = JSON.stringify(said.content["application/json"].schema);
    const isAsSaid = ajv.validate(JSON.parse(schema.replaceAll('"#/', '"doc:#/')) as object, json);
    return isAsSaid ? null : ajv.errorsText();
  };
};

test("each answer has the status and the code of the contract and is as described, each refusal with the next step", async () => {
  const host = await startHost();
  const isOtherwise = createDescription((await host.rest("GET", "/v1/openapi.json")).json);
  await host.rest(...call("echo__limited"));
  for (const { what, ask, answer } of ROWS) {
    const { status, json } = await host.rest(...ask);
    expect([what, status, json.error ?? null]).toEqual([what, ...answer]);
    expect([what, isOtherwise(ask, status, json)]).toEqual([what, null]);
    if (answer[1] === null) continue;
    expect([what, typeof json.message, typeof json.remedy]).toEqual([what, "string", "string"]);
    expect([what, json.remedy.length > 0, json.data.kind]).toEqual([what, true, answer[1]]);
  }
});

test("a login is what its key is: it calls tools, and ends when the key is revoked", async () => {
  const host = await startHost();
  const { json: made } = await host.rest("POST", "/v1/keys", { name: "laptop", scopes: ["echo__*"] });
  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(host.origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-bailiwick": "1", ...headers },
      body: JSON.stringify(body),
    });
  const login = await post("/v1/auth/login", { key: made.secret });
  expect(await login.json()).toMatchObject({ credential: "laptop", scopes: ["echo__*"], noAuth: false });
  const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  expect((await post("/v1/tools/call", { name: "echo__echo" }, { cookie })).status).toBe(200);
  expect((await post("/v1/tools/call", { name: "files__list" }, { cookie })).status).not.toBe(200);
  await host.rest("DELETE", "/v1/keys/laptop");
  expect((await post("/v1/tools/call", { name: "echo__echo" }, { cookie })).status).toBe(401);
  for (let n = 0; n < 10; n++) expect((await post("/v1/auth/login", { key: made.secret })).status).toBe(401);
  const waits = await post("/v1/auth/login", { key: made.secret });
  expect([waits.status, Number(waits.headers.get("retry-after")) > 0]).toEqual([429, true]);
  const right = await post("/v1/auth/login", { key: host.key });
  expect(right.status).toBe(200);
  const own = { cookie: (right.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
  expect((await post("/v1/auth/logout", {}, own)).status).toBe(200);
  const { events } = await host.evidence.events();
  const told = events.filter(({ event_type }) => /\.log(?:in|out)$/.test(String(event_type))).toReversed();
  expect(told.map(({ event_type, payload, subject }) => ({ event_type, payload, subject }))).toMatchObject([
    { event_type: "dev.bailiwick.login", payload: { principal: expect.any(String), name: "laptop" } },
    {
      event_type: "dev.bailiwick.login",
      payload: { principal: "person:owner", name: "owner" },
      subject: { id: "person://owner", door: "rest" },
    },
    { event_type: "dev.bailiwick.logout", payload: { principal: "person:owner", name: "owner" } },
  ]);
});
