import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOf, toolCall, until, untilRunning } from "../bundles-for-tests.ts";
import { agree, startAuthorizationServer } from "./authorization-server-for-tests.ts";
import { connect, entryFor, runOAuth } from "./oauth-bundles-for-tests.ts";
import { startProtectedServer } from "./protected-server-for-tests.ts";
import { keepInMemory } from "./token-store-for-tests.ts";

const SHARED = { isolation: "shared" };
const LINK = "http://127.0.0.1:7420/v1/oauth/start/guarded";

describe("a bundle whose server wants the workspace's account", () => {
  it("is needs_auth with the link until a person connects it, and runs from then on, also after a restart", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const store = keepInMemory();
    const oauth = { workspace: "ws_default", store, origin: () => "http://127.0.0.1:7420" };
    const first = await runOAuth([entryFor(guarded.url, SHARED)], { oauth });
    const provider = first.provider("guarded");
    await until(() => provider.status().state === "refused");
    expect(provider.status()).toMatchObject({
      link: LINK,
      reason: expect.stringMatching(/^needs_auth: /),
      next: expect.stringContaining(LINK),
    });
    await connect(first.bundles, "guarded", "person:ann");
    await untilRunning(provider);
    expect(provider.status().link).toBeUndefined();
    expect(textOf(await provider.send(toolCall("whoami")))).toBe("client-1 with basic");
    await first.bundles.stop();
    const second = await runOAuth([entryFor(guarded.url, SHARED)], { oauth });
    await untilRunning(second.provider("guarded"));
    expect(server.asked).toHaveLength(1);
  });

  it("is needs_auth again when the account is withdrawn, and the call that finds out says so", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { bundles, provider } = await runOAuth([entryFor(guarded.url, SHARED)]);
    await until(() => provider("guarded").status().state === "refused");
    await connect(bundles, "guarded", "person:ann");
    await untilRunning(provider("guarded"));
    server.tokens.clear();
    server.refreshTokens.clear();
    await expect(provider("guarded").send(toolCall("whoami"))).rejects.toMatchObject({
      kind: "needs_auth",
      details: { link: LINK },
    });
    await until(() => provider("guarded").status().link === LINK);
    expect(provider("guarded").catalogue().tools).toHaveLength(2);
  });

  it("asks the person for more when a tool wants more, and goes on over the same connection", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { bundles, provider } = await runOAuth([entryFor(guarded.url, SHARED)]);
    await until(() => provider("guarded").status().state === "refused");
    await connect(bundles, "guarded", "person:ann");
    await untilRunning(provider("guarded"));
    await expect(provider("guarded").send(toolCall("admin"))).rejects.toMatchObject({
      kind: "needs_auth",
      message: expect.stringContaining("basic admin"),
    });
    expect(textOf(await provider("guarded").send(toolCall("whoami")))).toBe("client-1 with basic");
    const consent = await bundles.accounts.begin("guarded", "workspace:ws_default");
    expect(consent.scopes).toEqual(["basic", "admin"]);
    await bundles.accounts.finish((await agree(consent.url)).searchParams, consent.browser);
    expect(textOf(await provider("guarded").send(toolCall("admin")))).toBe("client-1 with basic admin");
  });

  it("shows no token and no client secret in any text about it", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const auth = { clientId: "known", clientSecret: "the-client-secret" };
    const { bundles, provider, events } = await runOAuth([entryFor(guarded.url, SHARED, auth)]);
    await until(() => provider("guarded").status().state === "refused");
    await connect(bundles, "guarded", "person:ann");
    await untilRunning(provider("guarded"));
    const [access] = [...server.tokens.keys()];
    const [refresh] = [...server.refreshTokens.keys()];
    // A server that repeats what it was sent.
    server.failing = { status: 400, body: `{"error":"${access} ${refresh} the-client-secret","x":[]}` };
    server.tokens.clear();
    const refused = await provider("guarded")
      .send(toolCall("whoami"))
      .catch((error: unknown) => error);
    const said = JSON.stringify([refused, String(refused), events, bundles.status(), provider("guarded").status()]);
    for (const secret of [access!, refresh!, "the-client-secret"]) expect(said).not.toContain(secret);
  });

  it("has no account that another bundle's server could be given, though one authorization server serves both", async () => {
    const server = await startAuthorizationServer();
    const [one, two] = [await startProtectedServer(server), await startProtectedServer(server)];
    const entries = [entryFor(one.url, SHARED), entryFor(two.url, { ...SHARED, serverName: "other" })];
    const { bundles, provider } = await runOAuth(entries);
    await until(() => provider("guarded").status().state === "refused");
    await connect(bundles, "guarded", "person:ann");
    await untilRunning(provider("guarded"));
    await bundles.restartOne("other");
    await until(() => provider("other").status().state === "refused");
    expect(two.seen.map(({ authorization }) => authorization)).toEqual(two.seen.map(() => null));
    expect(two.seen.length).toBeGreaterThan(0);
  });

  it("sends its token to no other origin that the server redirects to", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const elsewhere: (string | undefined)[] = [];
    const away = createServer((req, res) => {
      elsewhere.push(req.headers.authorization);
      res.writeHead(500).end();
    });
    await new Promise<void>((resolve) => away.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void away.close());
    const { bundles, provider } = await runOAuth([entryFor(guarded.url, SHARED)]);
    await until(() => provider("guarded").status().state === "refused");
    await connect(bundles, "guarded", "person:ann");
    await untilRunning(provider("guarded"));
    guarded.redirect = `http://127.0.0.1:${(away.address() as AddressInfo).port}/mcp`;
    await expect(provider("guarded").send(toolCall("whoami"))).rejects.toThrow();
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.every((authorization) => authorization === undefined)).toBe(true);
  });
});

describe("connecting", () => {
  it.each([
    ["at a cloud metadata address", { authorization_endpoint: "http://169.254.169.254/authorize" }],
    ["at no web address", { authorization_endpoint: "javascript:alert(1)" }],
    ["of another issuer", { issuer: "https://evil.example" }],
  ])("sends nobody to an authorization server %s", async (_, metadata) => {
    const server = await startAuthorizationServer({ metadata });
    const guarded = await startProtectedServer(server);
    const { bundles } = await runOAuth([entryFor(guarded.url, SHARED)]);
    await expect(bundles.accounts.begin("guarded", "workspace:ws_default")).rejects.toMatchObject({
      kind: "upstream_failed",
    });
    expect(server.exchanges).toEqual([]);
  });

  it("asks no address that the network rules forbid", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    guarded.named = "http://169.254.169.254";
    const { bundles } = await runOAuth([entryFor(guarded.url, SHARED)]);
    await expect(bundles.accounts.begin("guarded", "workspace:ws_default")).rejects.toMatchObject({
      message: expect.stringContaining("cloud metadata address"),
    });
  });

  it.each([
    ["another iss", "http://127.0.0.1:1", {}],
    ["no iss although it promised one", null, { authorization_response_iss_parameter_supported: true }],
  ])("ends without a token when the answer carries %s", async (_, iss, metadata) => {
    const server = await startAuthorizationServer({ iss, metadata });
    const guarded = await startProtectedServer(server);
    const { bundles } = await runOAuth([entryFor(guarded.url, SHARED)]);
    await expect(connect(bundles, "guarded", "person:ann")).rejects.toMatchObject({ kind: "upstream_failed" });
    expect(server.exchanges).toEqual([]);
  });

  it("is finished once, by the browser that began, with the state it was given", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { bundles } = await runOAuth([entryFor(guarded.url, SHARED)]);
    const { accounts } = bundles;
    const consent = await accounts.begin("guarded", "workspace:ws_default");
    const answer = (await agree(consent.url)).searchParams;
    const forged = new URLSearchParams(answer);
    forged.set("state", "x".repeat(32));
    await expect(accounts.finish(answer, null)).rejects.toMatchObject({ kind: "bad_request" });
    await expect(accounts.finish(answer, "another")).rejects.toMatchObject({ kind: "bad_request" });
    await expect(accounts.finish(forged, consent.browser)).rejects.toMatchObject({ kind: "bad_request" });
    await accounts.finish(answer, consent.browser);
    await expect(accounts.finish(answer, consent.browser)).rejects.toMatchObject({ kind: "bad_request" });
  });

  it("says what a person who did not agree was told", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { bundles } = await runOAuth([entryFor(guarded.url, SHARED)]);
    const consent = await bundles.accounts.begin("guarded", "workspace:ws_default");
    const state = new URL(consent.url).searchParams.get("state")!;
    const denied = new URLSearchParams({ state, error: "access_denied", error_description: "<b>no</b>" });
    await expect(bundles.accounts.finish(denied, consent.browser)).rejects.toMatchObject({
      message: expect.stringMatching(/access_denied\.$/),
    });
  });

  it("is nothing for a bundle that wants no account", async () => {
    const { bundles } = await runOAuth([{ url: "http://127.0.0.1:1/mcp", serverName: "plain" }]);
    for (const name of ["plain", "nowhere"])
      await expect(bundles.accounts.begin(name, "person:ann")).rejects.toMatchObject({ kind: "not_found" });
  });
});
