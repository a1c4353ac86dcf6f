/** Who sees what of which skill: the same at the REST door and in `capabilities://skills`, whose readers are told of changes. */
import { expect, it, onTestFinished } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { openSession } from "../transport/client-for-tests.ts";
import { openStream } from "../transport/stream-for-tests.ts";
import { makePackagesPlace, SKILL_MD, type Json } from "./packages-place-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const URI = "capabilities://skills";
const TOOLS = `tools:
  - {name: open, required_capabilities: [usd]}
  - {name: shut, required_capabilities: [hidden.cap]}
  - {name: barred}
  - {name: bad, timeout_hint_secs: hidden}
groups: [{name: doors, tools: [open, shut], default_active: true}]
`;
const policy = { capabilities: { maya__barred: { allowed_actors: ["agent://somebody"] } } };

const start = async (): Promise<{ place: ReturnType<typeof makePackagesPlace>; host: WholeHost }> => {
  const place = makePackagesPlace({ policy });
  place.put("maya", { "tools.yaml": TOOLS, "scripts/run.sh": "echo 1" });
  place.put("other", { "tools.yaml": "tools: [hidden]\n", "scripts/hidden.sh": "echo 1" });
  place.put("guide", { "SKILL.md": SKILL_MD("guide").replace(/metadata:[^]*?---/, "allowed-tools: maya__*\n---") });
  const host = await place.start();
  await until(() => host.stateOf("maya") === "running" && host.stateOf("other") === "running");
  return { place, host };
};

const documentFor = async ({ origin }: WholeHost, key: string): Promise<Json[]> => {
  const { call } = await openSession(origin, "2025-11-25", "/mcp", key);
  const { json } = await call("resources/read", { uri: URI });
  return (JSON.parse(json.result.contents[0].text) as Json)["skills"] as Json[];
};

it("a key sees of skills what it may name, over REST as in the document", async () => {
  const { host } = await start();
  const scopes = ["maya__open", "skills__*", "capabilities__*"];
  const { secret } = await host.keys.create({ name: "narrow", scopes });
  const as = { authorization: `Bearer ${secret}` };
  const { skills } = (await host.rest("GET", "/v1/skills", undefined, as)).json as { skills: Json[] };
  const seen = [
    { name: "maya", tools: ["maya__open"], required_capabilities: ["usd"], missing_capabilities: ["usd"] },
    { name: "bailiwick", source: "built-in", tools: [] },
    { name: "guide", tools: ["maya__open"], required_capabilities: ["usd"] },
  ];
  expect(skills).toMatchObject(seen);
  const document = await documentFor(host, secret);
  expect(document).toMatchObject(seen);
  const one = (await host.rest("GET", "/v1/skills/maya", undefined, as)).json;
  expect(one.groups).toEqual([{ name: "doors", active: true, tools: ["open"] }]);
  for (const said of [skills, document, one]) expect(JSON.stringify(said)).not.toMatch(/shut|hidden|barred|bad/);
  expect((await host.rest("GET", "/v1/skills/other", undefined, as)).status).toBe(404);
  const satisfied = (await host.rest("GET", "/v1/skills?satisfied=true", undefined, as)).json.skills;
  expect(satisfied).toMatchObject([{ name: "bailiwick" }]);
});

it("a tool that is for others only is in no skill, whoever has no bounds of his own", async () => {
  const { host } = await start();
  const toolsOf = (skills: readonly Json[]): unknown => skills.find(({ name }) => name === "maya")?.["tools"];
  const own = ["maya__open", "maya__shut"];
  expect(toolsOf((await host.rest("GET", "/v1/skills")).json.skills)).toEqual(own);
  expect(toolsOf(await documentFor(host, host.key))).toEqual(own);
  expect(toolsOf((await host.skills.list()) as unknown as Json[])).toEqual(own);
});

it("who watches the document is told when something is declared, or a package has other tools", async () => {
  const { place, host } = await start();
  const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
  await session.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  const headers = { ...session.headers, accept: "text/event-stream" };
  const stream = openStream(host.origin, { method: "GET", headers });
  onTestFinished(() => stream.drop());
  expect(await stream.status).toBe(200);
  expect((await session.call("resources/subscribe", { uri: URI })).json.result).toEqual({});
  const told = (): number =>
    stream.events.filter(({ message }) => message?.method === "notifications/resources/updated").length;
  const missing = async (): Promise<unknown> =>
    (await documentFor(host, host.key)).find(({ name }) => name === "maya")?.["missing_capabilities"];
  expect(await missing()).toEqual(["hidden.cap", "usd"]);

  const before = told();
  await host.capabilities.declare(["usd"]);
  await until(() => told() > before);
  expect(await missing()).toEqual(["hidden.cap"]);

  const then = told();
  place.configure({ policy, capabilities: { declared: ["usd"], require: { maya__open: ["licence"] } } });
  await until(() => told() > then);
  await expect.poll(missing).toEqual(["hidden.cap", "licence"]);
});

it("a change that somebody may not make is a record", async () => {
  const { place, host } = await start();
  const { secret } = await host.keys.create({ name: "reader" });
  const as = { authorization: `Bearer ${secret}` };
  expect((await host.rest("PUT", "/v1/host/capabilities", { declared: ["x"] }, as)).status).toBe(403);
  await until(() => place.evidence("capabilities_change_refused").length > 0);
  expect(place.evidence("capabilities_change_refused").map(({ payload }) => payload)).toMatchObject([
    { by: "agent:reader", refusal: { code: "permission_missing" } },
  ]);
});
