/** A real host whose bundle wants an account, from the first list to the call that is made with it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agree,
  startAuthorizationServer,
  type AuthorizationServer,
} from "../bundles/oauth/authorization-server-for-tests.ts";
import { startProtectedServer, type ProtectedServer } from "../bundles/oauth/protected-server-for-tests.ts";
import type { Host } from "./host.ts";
import { openEvidence } from "./open-evidence.ts";
import { createHost } from "./open-host.ts";

let dir: string;
let server: AuthorizationServer;
let guarded: ProtectedServer;
let host: Host;
let origin: string;
let said: string[];

const workDir = (): string => join(dir, "work");

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-oauth-"));
  server = await startAuthorizationServer();
  guarded = await startProtectedServer(server);
  said = [];
  host = await createHost({
    workDir: workDir(),
    http: { port: 0 },
    allowInsecureRemotes: true,
    bundles: [{ url: guarded.url, serverName: "guarded", transport: { auth: { type: "oauth" } } }],
  });
  await host.start();
  ({ origin } = await host.listen());
});
afterEach(async () => {
  await host.stop();
  rmSync(dir, { recursive: true, force: true });
});

const key = (): string => readFileSync(join(workDir(), "owner.key"), "utf8").trim();

const get = async (
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string; answer: Response }> => {
  const answer = await fetch(origin + path, { redirect: "manual", ...init });
  const text = await answer.text();
  said.push(text);
  return { status: answer.status, text, answer };
};

const withKey = (secret: string): RequestInit => ({ headers: { authorization: `Bearer ${secret}` } });

const callBy = (secret: string): ReturnType<typeof get> =>
  get("/v1/tools/call", {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ server: "guarded", tool: "whoami", arguments: {} }),
  });

/** The answer's text, from a client of the modern era. */
const callOverMcp = async (secret: string): Promise<string> => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "guarded__whoami", arguments: {}, _meta: meta };
  const { text } = await get("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "guarded__whoami",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  return text;
};

/** What a person does in a browser. */
const connect = async (link: string, secret: string): Promise<string> => {
  const path = link.slice(origin.length);
  expect((await get(path)).status).toBe(200);
  const wanted = new URL(link).searchParams.get("for");
  const body = new URLSearchParams({ key: secret, ...(wanted !== null && { for: wanted }) });
  const consent = await get(path, { method: "POST", body });
  expect([consent.status, consent.text]).toEqual([200, expect.stringContaining(guarded.url)]);
  const url = /href="([^"]+)"/.exec(consent.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const cookie = consent.answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const back = await agree(url);
  expect(back.origin).toBe(origin);
  return (await get(back.pathname + back.search, { headers: { cookie } })).text;
};

describe("a bundle that wants an account", () => {
  it("is refused with the link, connected in a browser, and then answers each with its own account", async () => {
    const { secret: bobs } = await host.keys.create({ name: "bob", as: "person:bob" });
    const rows = JSON.parse((await get("/v1/providers", withKey(key()))).text) as {
      providers: { name: string; status: { state: string; link: string } }[];
    };
    const link = rows.providers.find(({ name }) => name === "guarded")?.status.link ?? "";
    expect(link).toBe(`${origin}/v1/oauth/start/guarded?for=person%3Aowner`);
    expect(await connect(link, key())).toContain("Connected");
    await expect.poll(async () => (await callBy(key())).text, { timeout: 10_000 }).toContain("client-1 with basic");

    const refused = await callBy(bobs);
    expect(refused.status).toBe(403);
    const { error, data } = JSON.parse(refused.text) as { error: string; data: { details: { link: string } } };
    const { link: bobsLink } = data.details;
    expect([error, bobsLink]).toEqual(["needs_auth", `${origin}/v1/oauth/start/guarded?for=person%3Abob`]);
    const tools = JSON.parse((await get("/v1/tools", withKey(bobs))).text) as { tools: Record<string, string>[] };
    const admin = tools.tools.find(({ name }) => name === "guarded__admin");
    expect(admin?.["state"]).toBe("discoverable");
    expect(admin?.["reason"]).toMatch(/^needs_auth: /);
    expect(admin?.["next"]).toContain(bobsLink);

    await connect(bobsLink, bobs);
    expect((await callBy(bobs)).text).toContain("client-1 with basic");
    const carried = guarded.seen.filter(({ what }) => what.endsWith("tools/call")).map((one) => one.authorization);
    expect(new Set(carried).size).toBe(2);
  });

  it("keeps the accounts of people apart whose MCP clients bear one name", async () => {
    const { secret: anns } = await host.keys.create({ name: "ann", as: "person:ann" });
    const { secret: bobs } = await host.keys.create({ name: "bob", as: "person:bob" });
    await connect(`${origin}/v1/oauth/start/guarded?for=agent%3Amcp-client%20for%20person%3Aann`, anns);
    await expect
      .poll(() => host.tools().filter(({ provider }) => provider === "guarded").length, { timeout: 10_000 })
      .toBe(2);
    const [ann, bob] = [await callOverMcp(anns), await callOverMcp(bobs)];
    expect(ann).toContain("client-1 with basic");
    expect(bob).toContain("needs_auth");
    expect(bob).toContain("?for=agent%3Amcp-client%20for%20person%3Abob");
    expect(bob).not.toContain("client-1");
  });

  it("leaves its tokens in no answer, no evidence and no file but sealed ones", async () => {
    await connect(`${origin}/v1/oauth/start/guarded?for=person%3Aowner`, key());
    await expect.poll(async () => (await callBy(key())).status, { timeout: 10_000 }).toBe(200);
    server.tokens.clear();
    server.refreshTokens.clear();
    const issued = server.exchanges.length;
    expect((await callBy(key())).status).toBe(403);
    for (const path of ["/v1/health", "/v1/providers", "/v1/apps", "/v1/tools"]) await get(path, withKey(key()));
    expect(issued).toBeGreaterThan(0);
    const evidence = openEvidence(workDir());
    const events = [...evidence.range(1, evidence.last())];
    evidence.close();
    const accounts = events.map((line) => JSON.parse(line) as { event_type: string; payload: object });
    for (const type of ["account_connect_asked", "account_connected"]) {
      const found = accounts.find(({ event_type: each }) => each === `dev.bailiwick.${type}`);
      expect(found?.payload).toMatchObject({ bundle: "guarded", owner: "person:owner", workspace: "ws_default" });
    }
    await host.stop();
    const files = readdirSync(workDir(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const contents = files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
    const all = [...said, ...events, ...contents].join("\n");
    expect(all).not.toMatch(/(?:access|refresh|secret)-[0-9a-f]{8}-/);
    for (const file of files.filter(({ parentPath }) => parentPath.endsWith("tokens")))
      expect(statSync(join(file.parentPath, file.name)).mode & 0o777).toBe(0o600);
  });
});
