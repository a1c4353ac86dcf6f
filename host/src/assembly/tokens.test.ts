/** The host as a resource server: tokens of a real issuer at the doors of a real host, with an HTTP upstream behind it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  checkResourceAllowed,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AUDIENCE, openIssuer, type TestIssuer } from "../call/identity/issuer-for-tests.ts";
import type { Host } from "./host.ts";
import { openEvidence } from "./open-evidence.ts";
import { createHost } from "./open-host.ts";

const UPSTREAM = fileURLToPath(new URL("../../test/fixtures/raw-http.mjs", import.meta.url));
const PUBLIC = new URL(AUDIENCE).origin;
const METADATA = "/.well-known/oauth-protected-resource";

let dir: string;
let issuer: TestIssuer;
let upstream: ChildProcess;
let host: Host;
let origin: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-tokens-"));
  issuer = await openIssuer();
  upstream = spawn(process.execPath, [UPSTREAM], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(upstream.stdout!, "data")) as [Buffer];
  host = await createHost({
    workDir: join(dir, "work"),
    http: { port: 0, publicOrigin: PUBLIC },
    mcp: { allowedOrigins: ["https://page.example"] },
    auth: { oidc: { issuer: issuer.issuer, permissionsClaim: "scope", rolesClaim: "roles" } },
    allowInsecureRemotes: true,
    allowPrivateRemotes: ["127.0.0.0/8"],
    noDefaultBundles: true,
    bundles: [{ url: `http://127.0.0.1:${String(port).trim()}/mcp`, serverName: "up" }],
  });
  await host.start();
  ({ origin } = await host.listen());
});
afterAll(async () => {
  await host?.stop();
  upstream?.kill();
  await issuer?.close();
  rmSync(dir, { recursive: true, force: true });
});

const post = (token: string | null, message: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });

const modern = (token: string | null, method: string, params: Record<string, unknown> = {}): Promise<Response> => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = params["name"];
  return post(
    token,
    { method, params: { ...params, _meta } },
    {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
  );
};

const rest = (token: string, path: string): Promise<Response> =>
  fetch(origin + path, { headers: { authorization: `Bearer ${token}` } });

const upstreamRuns = (): Promise<unknown> =>
  vi.waitUntil(() => host.providers().find(({ name }) => name === "up")?.status.state === "running", {
    timeout: 10_000,
  });

const challengeOf = (response: Response): string => response.headers.get("www-authenticate") ?? "";

const lastEvent = (type: string): object | undefined => {
  const evidence = openEvidence(join(dir, "work"));
  const lines = [...evidence.range(1, evidence.last())];
  evidence.close();
  return lines.map((line) => JSON.parse(line) as { event_type: string }).findLast((event) => event.event_type === type);
};

describe("a client without a credential", () => {
  it.each(["/mcp", "/mcp/providers/up"])("is led from %s to the issuer", async (path) => {
    const response = await fetch(origin + path, { method: "POST", headers: { "content-type": "application/json" } });
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toBe(`Bearer resource_metadata="${PUBLIC}${METADATA}/mcp", scope="openid"`);
  });

  it("is led there from the API too", async () => {
    const response = await fetch(`${origin}/v1/tools`);
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toContain(`resource_metadata="${PUBLIC}${METADATA}/mcp"`);
  });

  it.each([METADATA, `${METADATA}/mcp`])("reads %s, whatever credential it sends", async (path) => {
    for (const headers of [{}, { authorization: "Bearer nonsense" }]) {
      const response = await fetch(origin + path, { headers });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        resource: AUDIENCE,
        authorization_servers: [issuer.issuer],
        scopes_supported: ["openid"],
        bearer_methods_supported: ["header"],
        resource_name: "Bailiwick",
      });
    }
  });

  it("reads it from a page of an allowed origin, and from no other", async () => {
    const from = (page: string) => fetch(origin + METADATA, { headers: { origin: page } });
    const allowed = await from("https://page.example");
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([200, "https://page.example"]);
    expect((await from("https://evil.example")).status).toBe(403);
  });
});

describe("a token", () => {
  it("calls a tool as an agent on behalf of its subject, which evidence calls verified", async () => {
    await upstreamRuns();
    const response = await modern(await issuer.sign({ sub: "auth0|7" }), "tools/call", {
      name: "up__echo",
      arguments: { text: "hello" },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ result: { content: [{ type: "text", text: "hello" }] } });
    expect(lastEvent("execution_completed")).toMatchObject({
      subject: { id: "agent://mcp-client", on_behalf_of: "person://auth0%7C7", verified: true, door: "mcp" },
    });
  });

  it("never reaches the upstream, in a header or in a body", async () => {
    await upstreamRuns();
    const token = await issuer.sign({ sub: "careful" });
    await modern(token, "tools/call", { name: "up__echo", arguments: { text: "x" } });
    const response = await modern(token, "tools/call", { name: "up__state", arguments: {} });
    const text = await response.text();
    expect(text).toContain('"tools/call"');
    expect(text).not.toContain(token);
    expect(text).not.toContain(token.split(".")[2]);
    expect(text.toLowerCase()).not.toContain("authorization");
  });

  it("that is not good is told why, with the way to a good one", async () => {
    const response = await modern(await issuer.sign({ aud: "https://other.example/mcp" }), "tools/list");
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toBe(
      `Bearer error="invalid_token", error_description="it is for another audience (aud) than ${AUDIENCE}", ` +
        `resource_metadata="${PUBLIC}${METADATA}/mcp", scope="openid"`,
    );
    expect(await response.text()).toContain(`Get a token for ${AUDIENCE} from ${issuer.issuer}`);
    expect(lastEvent("dev.bailiwick.auth_rejected")).toBeDefined();
  });

  it("has the permissions of its claim on the API, and hears which scope is missing", async () => {
    const lacking = await rest(await issuer.sign({ scope: "openid" }), "/v1/keys");
    expect(lacking.status).toBe(403);
    expect(challengeOf(lacking)).toBe(
      `Bearer error="insufficient_scope", resource_metadata="${PUBLIC}${METADATA}/mcp", scope="openid keys:manage"`,
    );
    expect((await rest(await issuer.sign({ scope: "keys:manage" }), "/v1/keys")).status).toBe(200);
    expect((await rest(await issuer.sign({ scope: "*" }), "/v1/keys")).status).toBe(403);
  });

  it("about `owner` is not the owner", async () => {
    expect((await rest(await issuer.sign({ sub: "owner" }), "/v1/keys")).status).toBe(403);
  });

  it("opens a legacy session that is its subject's alone, with whatever token of it", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const opened = await post(await issuer.sign({ jti: "1" }), { method: "initialize", params });
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const ping = { method: "ping" };
    expect((await post(await issuer.sign({ jti: "2" }), ping, session)).status).toBe(200);
    expect((await post(await issuer.sign({ sub: "eve" }), ping, session)).status).toBe(404);
    const { secret } = await host.keys.create({ name: "other" });
    expect((await post(secret, ping, session)).status).toBe(404);
    expect((await post(await issuer.sign({ exp: 1 }), ping, session)).status).toBe(401);
  });

  it("is refused with the key that signed it, once the issuer has withdrawn that", async () => {
    const old = await issuer.sign({ sub: "rotating" });
    expect((await modern(old, "tools/list")).status).toBe(200);
    await issuer.rotate();
    expect((await modern(await issuer.sign({ sub: "rotating" }), "tools/list")).status).toBe(200);
    const refused = await modern(old, "tools/list");
    expect([refused.status, challengeOf(refused)]).toEqual([401, expect.stringContaining("publishes no key")]);
  });
});

describe("an issuer that is away", () => {
  it("stops its tokens, with the reason, and no key of the host", async () => {
    const away = await openIssuer();
    const token = await away.sign({ iss: away.issuer });
    await away.close();
    const lone = await createHost({
      workDir: join(dir, "lone"),
      http: { port: 0 },
      auth: { oidc: { issuer: away.issuer, audience: AUDIENCE } },
    });
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      const { origin: at } = await lone.listen();
      const tools = (credential: string) =>
        fetch(`${at}/v1/tools`, { headers: { authorization: `Bearer ${credential}` } });
      const refused = await tools(token);
      expect([refused.status, challengeOf(refused)]).toEqual([401, expect.stringContaining("cannot be had now")]);
      expect(challengeOf(refused)).toContain(`resource_metadata="${at}${METADATA}/mcp"`);
      expect(stderr.mock.calls.join()).toContain("ECONNREFUSED");
      expect((await tools((await lone.keys.create({ name: "k" })).secret)).status).toBe(200);
    } finally {
      stderr.mockRestore();
      await lone.stop();
    }
  });
});

describe("a client of the MCP SDK", () => {
  it("finds the issuer by the 401 and agrees that tokens for it are tokens for both endpoints", async () => {
    const local = await createHost({
      workDir: join(dir, "local"),
      http: { port: 0 },
      auth: { oidc: { issuer: issuer.issuer } },
    });
    try {
      const { mcpUrl } = await local.listen();
      const knock = { method: "POST", headers: { "content-type": "application/json" } };
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await fetch(mcpUrl, knock));
      expect(scope).toBe("openid");
      const options = resourceMetadataUrl ? { resourceMetadataUrl } : {};
      const metadata = await discoverOAuthProtectedResourceMetadata(mcpUrl, options);
      expect(metadata).toMatchObject({ resource: mcpUrl, authorization_servers: [issuer.issuer] });
      for (const requestedResource of [mcpUrl, `${mcpUrl}/providers/up`]) {
        expect(checkResourceAllowed({ requestedResource, configuredResource: metadata.resource })).toBe(true);
      }
      const headers = { authorization: `Bearer ${await issuer.sign({ aud: mcpUrl })}` };
      expect((await fetch(mcpUrl.replace("/mcp", "/v1/tools"), { headers })).status).toBe(200);
    } finally {
      await local.stop();
    }
  });
});

describe("a host without auth.oidc", () => {
  it("has no metadata, names no issuer, and takes a token for an unknown key", async () => {
    const plain = await createHost({ workDir: join(dir, "plain"), http: { port: 0 } });
    try {
      const { origin: at } = await plain.listen();
      for (const path of [METADATA, `${METADATA}/mcp`]) expect((await fetch(at + path)).status).toBe(404);
      const headers = { authorization: `Bearer ${await issuer.sign({})}` };
      const refused = await fetch(`${at}/v1/tools`, { headers });
      expect([refused.status, challengeOf(refused)]).toEqual([401, "Bearer"]);
    } finally {
      await plain.stop();
    }
  });
});
