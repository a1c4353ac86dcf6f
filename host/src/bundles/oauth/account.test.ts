import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { textOf, toolCall } from "../bundles-for-tests.ts";
import { connectWith, makeAccount } from "./account-for-tests.ts";
import { agree, startAuthorizationServer } from "./authorization-server-for-tests.ts";
import { startProtectedServer } from "./protected-server-for-tests.ts";
import { keepInMemory } from "./token-store-for-tests.ts";

const REFUSED = { kind: "needs_auth", details: { link: "x" } };

describe("an account at a server that wants one", () => {
  it("is connected by PKCE with a resource indicator, and its token goes with every request", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { account } = makeAccount({ url: guarded.url });
    const connection = await connectWith(guarded.url, account);
    expect(textOf(await connection.send(toolCall("whoami")))).toBe("client-1 with basic");
    const [asked] = server.asked;
    expect(asked?.get("code_challenge_method")).toBe("S256");
    expect(asked?.get("resource")).toBe(guarded.url);
    expect(server.exchanges[0]?.form.get("resource")).toBe(guarded.url);
    await connection.close("done");
    const [first, ...later] = guarded.seen;
    expect(first?.authorization).toBeNull();
    expect(new Set(later.map(({ authorization }) => authorization)).size).toBe(1);
    expect(later[0]?.authorization).toMatch(/^Bearer access-/);
    expect(guarded.seen.map(({ what }) => what)).toContain("GET");
  });

  it("asks for its own scopes where the configuration names them", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { account } = makeAccount({ url: guarded.url, settings: { scopes: ["read", "list"] } });
    const connection = await connectWith(guarded.url, account);
    expect(textOf(await connection.send(toolCall("whoami")))).toBe("client-1 with read list");
  });

  it("uses the client of the configuration, and at no other authorization server than its first", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const store = keepInMemory();
    const settings = { clientId: "known", clientSecret: "known-secret" };
    const first = makeAccount({ url: guarded.url, settings, store });
    const connection = await connectWith(guarded.url, first.account);
    expect(textOf(await connection.send(toolCall("whoami")))).toBe("known with basic");
    expect(server.registrations).toEqual([]);
    const thief = await startAuthorizationServer();
    guarded.server = thief;
    await expect(connection.send(toolCall("whoami"))).rejects.toMatchObject({ kind: "credentials_required" });
    expect(thief.asked).toEqual([]);
    expect(thief.exchanges).toEqual([]);
  });

  it("uses the client metadata document where the server takes one, and does not register", async () => {
    const server = await startAuthorizationServer({ metadata: { client_id_metadata_document_supported: true } });
    const guarded = await startProtectedServer(server);
    const document = "https://host.example/v1/oauth/client.json";
    const { account } = makeAccount({ url: guarded.url, settings: { clientMetadataUrl: document } });
    const connection = await connectWith(guarded.url, account);
    expect(textOf(await connection.send(toolCall("whoami")))).toBe(`${document} with basic`);
    expect(server.registrations).toEqual([]);
  });

  it("registers anew when the host is reached at another address than before", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const store = keepInMemory();
    await connectWith(guarded.url, makeAccount({ url: guarded.url, store, owner: "person:ann" }).account);
    await connectWith(guarded.url, makeAccount({ url: guarded.url, store, owner: "person:bob" }).account);
    expect(server.registrations).toHaveLength(1);
    const settings = { redirectUrl: "http://127.0.0.1:9999/v1/oauth/callback" };
    await connectWith(guarded.url, makeAccount({ url: guarded.url, store, owner: "person:cid", settings }).account);
    expect(server.registrations).toHaveLength(2);
  });

  it("is refreshed by the client that it was given to, though the host has another by now", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const store = keepInMemory();
    const connection = await connectWith(guarded.url, makeAccount({ url: guarded.url, store }).account);
    const settings = { redirectUrl: "http://127.0.0.1:9999/v1/oauth/callback" };
    await connectWith(guarded.url, makeAccount({ url: guarded.url, store, owner: "person:bob", settings }).account);
    server.tokens.clear();
    expect(textOf(await connection.send(toolCall("whoami")))).toBe("client-1 with basic");
    expect(server.asked).toHaveLength(2);
  });

  it("is not given up because the server does not describe itself for a while", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { account } = makeAccount({ url: guarded.url });
    const connection = await connectWith(guarded.url, account);
    server.tokens.clear();
    guarded.isMute = true;
    await expect(connection.send(toolCall("whoami"))).rejects.toMatchObject({ kind: "not_ready" });
    expect(account.isConnected()).toBe(true);
    guarded.isMute = false;
    expect(textOf(await connection.send(toolCall("whoami")))).toBe("client-1 with basic");
    expect(server.asked).toHaveLength(1);
  });

  it("is refreshed before its time is over, once for all requests that find it old", async () => {
    const server = await startAuthorizationServer({ lasts: 1 });
    const guarded = await startProtectedServer(server);
    const { account, grant } = makeAccount({ url: guarded.url });
    const connection = await connectWith(guarded.url, account);
    const before = grant.tokens?.tokens.access_token;
    await expect.poll(() => Date.now() > (grant.tokens?.renewAt ?? 0)).toBe(true);
    const exchanges = server.exchanges.length;
    await Promise.all(Array.from({ length: 4 }, () => connection.send(toolCall("whoami"))));
    expect(server.exchanges.slice(exchanges).map(({ form }) => form.get("grant_type"))).toEqual(["refresh_token"]);
    expect(grant.tokens?.tokens.access_token).not.toBe(before);
    expect(
      guarded.seen.filter(({ what }) => what.includes("tools/call")).map((one) => one.authorization),
    ).not.toContain(`Bearer ${before}`);
  });

  it("is used to the end where the server gave nothing to refresh it with", async () => {
    const server = await startAuthorizationServer({ lasts: 1, refreshes: false });
    const guarded = await startProtectedServer(server);
    const { account, grant } = makeAccount({ url: guarded.url });
    const connection = await connectWith(guarded.url, account);
    await sleep(1_200);
    expect(textOf(await connection.send(toolCall("whoami")))).toBe("client-1 with basic");
    expect([server.asked.length, server.exchanges.length]).toEqual([1, 1]);
    expect(grant.tokens).not.toBeNull();
  });

  it("answers a 401 with a fresh token and one more send, also when many calls meet it at once", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { account } = makeAccount({ url: guarded.url, authorize: agree });
    const connection = await connectWith(guarded.url, account);
    server.tokens.clear();
    const asked = server.asked.length;
    const answers = await Promise.all(Array.from({ length: 4 }, () => connection.send(toolCall("whoami"))));
    expect(answers.map(textOf)).toEqual(Array.from({ length: 4 }, () => "client-1 with basic"));
    expect(server.exchanges.filter(({ form }) => form.get("grant_type") === "refresh_token")).toHaveLength(1);
    expect(server.asked).toHaveLength(asked);
  });

  it("asks for more when the server wants more, and keeps what it had", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { account } = makeAccount({ url: guarded.url });
    const connection = await connectWith(guarded.url, account);
    expect(textOf(await connection.send(toolCall("admin")))).toBe("client-1 with basic admin");
    expect(server.asked.map((query) => query.get("scope"))).toEqual(["basic", "basic admin"]);
  });

  it("does not ask twice for what it did not get", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { account } = makeAccount({ url: guarded.url });
    const connection = await connectWith(guarded.url, account);
    // The server forgets what it grants.
    for (const [access, token] of server.tokens) server.tokens.set(access, { ...token, scope: "basic" });
    const narrow = server.tokens.set.bind(server.tokens);
    server.tokens.set = (access, token) => narrow(access, { ...token, scope: "basic" });
    await expect(connection.send(toolCall("admin"))).rejects.toMatchObject({ kind: "upstream_failed" });
    await expect(connection.send(toolCall("admin"))).rejects.toMatchObject({ kind: "upstream_failed" });
    expect(server.asked).toHaveLength(2);
  });

  it("follows a server that moves to another authorization server, and takes nothing there", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { account, grant } = makeAccount({ url: guarded.url });
    const connection = await connectWith(guarded.url, account);
    const { client_id: before } = grant.client(server.issuer, "http://127.0.0.1:7420/v1/oauth/callback")!;
    const next = await startAuthorizationServer();
    guarded.server = next;
    await connection.send(toolCall("whoami"));
    expect(next.registrations).toHaveLength(1);
    const said = JSON.stringify([next.exchanges.map(({ form }) => String(form)), next.asked.map(String)]);
    expect(said).not.toContain("refresh_token=");
    expect(before).toBe("client-1");
  });
});

describe("without a person", () => {
  it("a server that wants an account is needs_auth, and nothing is asked of its authorization server", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const { account } = makeAccount({ url: guarded.url, authorize: null });
    await expect(connectWith(guarded.url, account)).rejects.toMatchObject(REFUSED);
    expect(server.seen).toEqual([]);
  });

  it("a revoked account is needs_auth for the call that finds out, and that call did not run", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const store = keepInMemory();
    await connectWith(guarded.url, makeAccount({ url: guarded.url, store }).account);
    const { account } = makeAccount({ url: guarded.url, store, authorize: null });
    const connection = await connectWith(guarded.url, account);
    server.tokens.clear();
    server.refreshTokens.clear();
    await expect(connection.send(toolCall("whoami"))).rejects.toMatchObject(REFUSED);
    expect(account.isConnected()).toBe(false);
  });

  it("a token that is refused although it is fresh is needs_auth too", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const store = keepInMemory();
    await connectWith(guarded.url, makeAccount({ url: guarded.url, store }).account);
    const { account } = makeAccount({ url: guarded.url, store, authorize: null });
    const connection = await connectWith(guarded.url, account);
    guarded.refuses = true;
    await expect(connection.send(toolCall("whoami"))).rejects.toMatchObject(REFUSED);
  });

  it("an authorization server that is out of reach costs no token", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const store = keepInMemory();
    await connectWith(guarded.url, makeAccount({ url: guarded.url, store }).account);
    const { account } = makeAccount({ url: guarded.url, store, authorize: null });
    const connection = await connectWith(guarded.url, account);
    server.tokens.clear();
    await server.close();
    await expect(connection.send(toolCall("whoami"))).rejects.toMatchObject({ kind: "not_ready" });
    expect(account.isConnected()).toBe(true);
  });

  it("the host signs in as itself by client credentials, again when the token is gone", async () => {
    const server = await startAuthorizationServer({ refreshes: false });
    const guarded = await startProtectedServer(server);
    const settings = { grant: "client_credentials", clientId: "robot", clientSecret: "robot-secret" } as const;
    const { account } = makeAccount({ url: guarded.url, settings, authorize: null });
    const connection = await connectWith(guarded.url, account);
    expect(textOf(await connection.send(toolCall("whoami")))).toBe("robot with basic");
    server.tokens.clear();
    expect(textOf(await connection.send(toolCall("whoami")))).toBe("robot with basic");
    expect(server.asked).toEqual([]);
  });

  it("wrong client credentials are named as what has to be corrected", async () => {
    const server = await startAuthorizationServer();
    const guarded = await startProtectedServer(server);
    const settings = { grant: "client_credentials", clientId: "robot", clientSecret: "wrong" } as const;
    const { account } = makeAccount({ url: guarded.url, settings, authorize: null });
    await expect(connectWith(guarded.url, account)).rejects.toMatchObject({
      kind: "credentials_required",
      message: expect.stringContaining("invalid_client"),
      next: expect.stringContaining("clientSecret"),
    });
  });
});
