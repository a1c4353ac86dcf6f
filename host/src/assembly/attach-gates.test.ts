import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { attachHost } from "./attach-host.ts";
import type { ReachedHost } from "./reached-host.ts";

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Wire {
  readonly host: ReachedHost;
  readonly asked: string[];
}

type Reply = readonly [status: number, body: object];

const attach = async (...reply: Reply | [(url: string) => Reply]): Promise<Wire> => {
  const asked: string[] = [];
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    asked.push(`${req.method} ${req.url} ${await text(req)}`.trimEnd());
    const [status, body] = reply.length === 1 ? reply[0](req.url ?? "") : reply;
    res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const opened = createServer((req, res) => void answer(req, res));
  server = opened;
  await new Promise<void>((resolve) => {
    opened.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
  return { host: attachHost({ origin, key: null }), asked };
};

const ROW = { name: "p", kind: "package", tools: [], diagnostics: [], digest: "sha256:0" };

it("skills are asked for by what was typed, and come back without what the list adds", async () => {
  const seen = { ...ROW, type: "context", priority: 5 };
  const row = { ...seen, available: true };
  const { host, asked } = await attach(200, { skills: [row], warnings: ["a.md is skipped."], ...row });
  expect(await host.skills.list({ satisfied: true, dcc: "a&b" })).toEqual([{ ...seen, reason: null }]);
  expect(await host.skills.warnings()).toEqual(["a.md is skipped."]);
  expect(asked.pop()).toBe("GET /v1/skills");
  expect(await host.skills.get("../x")).toMatchObject({ ...ROW, reason: null });
  await host.skills.list();
  await host.skills.accept("a/b", "sha256:1");
  expect(asked).toEqual([
    "GET /v1/skills?satisfied=true&dcc=a%26b",
    "GET /v1/skills/..%2Fx",
    "GET /v1/skills",
    'POST /v1/skills/a%2Fb/accept {"digest":"sha256:1"}',
  ]);
});

it("capabilities are replaced as a whole, and a path is resolved as given", async () => {
  const answer = { before: [], after: ["usd"], persisted: true, path: "x", resolved: "/r/x" };
  const { host, asked } = await attach(200, answer);
  expect(await host.capabilities.declare(["usd"])).toMatchObject({ after: ["usd"], persisted: true });
  await host.capabilities.declare([], ["usd"]);
  expect(await host.roots.resolve("workspace://%41")).toBe("/r/x");
  expect(asked).toEqual([
    'PUT /v1/host/capabilities {"declared":["usd"]}',
    'PUT /v1/host/capabilities {"declared":[],"before":["usd"]}',
    'POST /v1/roots/resolve {"path":"workspace://%41"}',
  ]);
});

it("a skill that is not there is refused with the nearest name and a command", async () => {
  const remedy = "List those that it may: GET /v1/skills";
  const { host } = await attach((url) =>
    url === "/v1/skills"
      ? [200, { skills: [ROW, { ...ROW, name: "guide" }] }]
      : [404, { error: "not_found", message: "No.", remedy }],
  );
  await expect(host.skills.get("guid")).rejects.toMatchObject({
    kind: "not_found",
    message: 'There is no skill "guid". Did you mean "guide"?',
    next: "List them: bailiwick skill list",
  });
  await expect(host.skills.get("guide")).rejects.toMatchObject({ next: remedy });
});

it("tools come back with what they require and lack", async () => {
  const { host, asked } = await attach(200, { tools: [{ name: "a", required_capabilities: ["usd"] }, { name: "b" }] });
  expect(await host.tools()).toEqual([
    { name: "a", required: ["usd"], missing: [] },
    { name: "b", required: [], missing: [] },
  ]);
  await host.tools("a b", { satisfied: true });
  await host.tools("x", { satisfied: false });
  expect(asked).toEqual(["GET /v1/tools", "GET /v1/tools?q=a+b&satisfied=true", "GET /v1/tools?q=x"]);
});

it("a refused path is the same refusal here", async () => {
  const { host } = await attach(422, {
    error: "unknown_root",
    message: "No root x.",
    remedy: "List them.",
    data: { details: { path: "workspace://@x/a", root: "x" } },
  });
  await expect(host.roots.resolve("workspace://@x/a")).rejects.toMatchObject({
    kind: "unknown_root",
    details: { root: "x" },
    next: "List them.",
  });
});

it("something else is not taken for an answer", async () => {
  const { host } = await attach(200, { ok: true });
  const asking: readonly (() => Promise<unknown>)[] = [
    () => host.capabilities.list(),
    () => host.capabilities.declare([]),
    () => host.skills.list(),
    () => host.skills.get("p"),
    () => host.skills.accept("p", "sha256:0"),
    () => host.roots.list(),
    () => host.roots.resolve("x"),
  ];
  for (const ask of asking) await expect(ask()).rejects.toMatchObject({ kind: "upstream_failed" });
});
