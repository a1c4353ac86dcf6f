import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { NO_PORT, type HostExtensions } from "../kernel/host-extension.ts";
import type { Principal } from "../kernel/principal.ts";
import type { Provider, ProviderAnswer } from "../kernel/provider.ts";
import { makeWorkDir, textOf, toolCall, until } from "./bundles-for-tests.ts";
import { startAuthorizationServer, type AuthorizationServer } from "./oauth/authorization-server-for-tests.ts";
import { connect, entryFor, runOAuth } from "./oauth/oauth-bundles-for-tests.ts";
import { startProtectedServer, type ProtectedServer } from "./oauth/protected-server-for-tests.ts";
import { keepInMemory } from "./oauth/token-store-for-tests.ts";

const never = new AbortController().signal;
const as = (provider: Provider, name: string): Provider => {
  const [id = "", onBehalfOf = null] = name.split(" for ");
  return provider.of?.({ id, onBehalfOf } as Principal) ?? provider;
};

const call = async (provider: Provider, principal: string): Promise<ProviderAnswer> => {
  const view = as(provider, principal);
  await view.whenReady(5_000, never);
  return view.send({ ...toolCall("whoami"), owner: principal });
};

const start = async (): Promise<{ server: AuthorizationServer; guarded: ProtectedServer }> => {
  const server = await startAuthorizationServer();
  return { server, guarded: await startProtectedServer(server) };
};

/** How many connections have ended, for whatever reason: what a server was handed is taken back then. */
const countEnds = (): { readonly extensions: HostExtensions; readonly ends: () => number } => {
  let ended = 0;
  const close = (): void => void ended++;
  return { extensions: { port: (_, keys) => ({ ...NO_PORT, offered: keys, close }) }, ends: () => ended };
};

const tokensSeen = ({ seen }: ProtectedServer): Set<string | null> =>
  new Set(seen.filter(({ what }) => what.endsWith("tools/call")).map(({ authorization }) => authorization));

describe("a bundle to which each principal brings its own account", () => {
  it("is needs_auth for everybody, each with the link that names them", async () => {
    const { guarded } = await start();
    const { provider } = await runOAuth([entryFor(guarded.url)]);
    expect(provider("guarded").status()).toMatchObject({
      state: "refused",
      link: "http://127.0.0.1:7420/v1/oauth/start/guarded",
    });
    expect(as(provider("guarded"), "agent:ci").status()).toMatchObject({
      state: "refused",
      link: "http://127.0.0.1:7420/v1/oauth/start/guarded?for=agent%3Aci",
      reason: expect.stringContaining("for agent:ci"),
    });
    await expect(call(provider("guarded"), "agent:ci")).rejects.toMatchObject({ kind: "needs_auth" });
    expect(guarded.seen).toEqual([]);
  });

  it("answers one who connected, and shows its tools as needs_auth to one who did not", async () => {
    const { guarded } = await start();
    const { bundles, provider } = await runOAuth([entryFor(guarded.url)]);
    await connect(bundles, "guarded", "person:ann");
    await until(() => provider("guarded").catalogue().tools.length === 2);
    expect(textOf(await call(provider("guarded"), "person:ann"))).toBe("client-1 with basic");
    const bob = as(provider("guarded"), "person:bob");
    expect(bob.catalogue().tools).toHaveLength(2);
    expect(bob.status().link).toContain("person%3Abob");
    await expect(call(provider("guarded"), "person:bob")).rejects.toMatchObject({ kind: "needs_auth" });
    expect(provider("guarded").status().state).toBe("running");
  });

  it("gives each call the token of its own principal", async () => {
    const { server, guarded } = await start();
    const { bundles, provider } = await runOAuth([entryFor(guarded.url)]);
    for (const principal of ["person:ann", "person:bob"]) await connect(bundles, "guarded", principal);
    const [anns, bobs] = [...server.tokens.keys()].map((access) => `Bearer ${access}`);
    await call(provider("guarded"), "person:ann");
    expect(tokensSeen(guarded)).toEqual(new Set([anns]));
    await call(provider("guarded"), "person:bob");
    expect(tokensSeen(guarded)).toEqual(new Set([anns, bobs]));
    server.tokens.delete(bobs!.slice(7));
    server.refreshTokens.clear();
    await expect(call(provider("guarded"), "person:bob")).rejects.toMatchObject({ kind: "needs_auth" });
    expect(textOf(await call(provider("guarded"), "person:ann"))).toBe("client-1 with basic");
  });

  it("ends a connection that nobody uses, and makes it again for the next call", async () => {
    const { guarded } = await start();
    const { extensions, ends } = countEnds();
    const more = { extensions, timing: { idleMs: 50 } };
    const { bundles, provider, events } = await runOAuth([entryFor(guarded.url)], more);
    await connect(bundles, "guarded", "person:ann");
    await until(() => ends() === 1);
    expect(events.map(({ type }) => type)).not.toContain("bundle.stopped");
    expect(as(provider("guarded"), "person:ann").status().state).toBe("running");
    expect(textOf(await call(provider("guarded"), "person:ann"))).toBe("client-1 with basic");
  });

  it("keeps the connection of one who watches a document, and makes it where there is none", async () => {
    const { guarded } = await start();
    guarded.documentOf = () => "doc://a";
    const { extensions, ends } = countEnds();
    const { bundles, provider } = await runOAuth([entryFor(guarded.url)], { extensions, timing: { idleMs: 50 } });
    const asked = (): number => guarded.seen.filter(({ what }) => what === "POST resources/subscribe").length;
    const ann = as(provider("guarded"), "person:ann");
    expect(ann.watch("doc://a", () => {})).toBe(false);
    await connect(bundles, "guarded", "person:ann");
    await until(() => ends() === 1);
    const end = ann.watch("doc://a", () => {});
    await until(() => asked() === 1);
    await sleep(300);
    expect(ends()).toBe(1);
    await bundles.restartOne("guarded");
    await until(() => asked() === 2);
    const before = ends();
    if (end) end();
    await until(() => ends() > before);
  });

  it("holds 32 connections, and the one that was used least recently makes room", async () => {
    const { guarded } = await start();
    const { extensions, ends } = countEnds();
    const { bundles, provider } = await runOAuth([entryFor(guarded.url)], { extensions });
    for (let each = 0; each < 33; each++) {
      await connect(bundles, "guarded", `person:${each}`);
      await call(provider("guarded"), `person:${each}`);
    }
    await until(() => ends() > 0);
    expect(ends()).toBe(1);
    expect(textOf(await call(provider("guarded"), "person:0"))).toBe("client-1 with basic");
  });

  it("lists its tools after a restart of the host before anybody calls, and connects no one for it", async () => {
    const { guarded } = await start();
    const oauth = { workspace: "ws_default", store: keepInMemory(), origin: () => "http://127.0.0.1:7420" };
    const workDir = makeWorkDir();
    const first = await runOAuth([entryFor(guarded.url)], { oauth, workDir });
    await connect(first.bundles, "guarded", "person:ann");
    await until(() => first.provider("guarded").catalogue().tools.length === 2);
    await first.bundles.stop();
    expect(first.provider("guarded").status().state).toBe("stopped");
    const seen = guarded.seen.length;
    const second = await runOAuth([entryFor(guarded.url)], { oauth, workDir });
    const ann = as(second.provider("guarded"), "person:ann");
    expect([ann.catalogue().tools.length, ann.status().state]).toEqual([2, "running"]);
    expect(guarded.seen).toHaveLength(seen);
    expect(textOf(await call(second.provider("guarded"), "person:ann"))).toBe("client-1 with basic");
  });

  it("shows the documents of one to nobody else, and does not write them down", async () => {
    const { server, guarded } = await start();
    guarded.documentOf = (token) => `doc://${[...server.tokens.keys()].indexOf(token)}`;
    const workDir = makeWorkDir();
    const { bundles, provider } = await runOAuth([entryFor(guarded.url)], { workDir });
    const shown = (name: string): string[] =>
      as(provider("guarded"), name)
        .catalogue()
        .resources.map(({ uri }) => uri);
    await connect(bundles, "guarded", "person:ann");
    await until(() => shown("person:ann").includes("doc://0"));
    expect([shown("person:bob"), provider("guarded").catalogue().resources]).toEqual([[], []]);
    await connect(bundles, "guarded", "person:bob");
    await until(() => shown("person:bob").includes("doc://1"));
    expect([shown("person:ann"), shown("person:bob"), shown("person:cid")]).toEqual([["doc://0"], ["doc://1"], []]);
    expect(as(provider("guarded"), "person:cid").catalogue().tools).toHaveLength(2);
    await bundles.stop();
    const written = readFileSync(join(workDir, "workspaces/ws_default/definitions/guarded.json"), "utf8");
    expect(written).toContain("whoami");
    expect(written).not.toContain("doc://");
  });

  it("is stopped and started as any other", async () => {
    const { guarded } = await start();
    const { bundles, provider } = await runOAuth([entryFor(guarded.url)]);
    await connect(bundles, "guarded", "person:ann");
    await call(provider("guarded"), "person:ann");
    await bundles.stopOne("guarded");
    const ann = as(provider("guarded"), "person:ann");
    expect([ann.status().state, bundles.statusOf("guarded").state]).toEqual(["stopped", "stopped"]);
    expect(await ann.whenReady(50, never)).toBe(false);
    await bundles.restartOne("guarded");
    expect(textOf(await call(provider("guarded"), "person:ann"))).toBe("client-1 with basic");
  });
});

it("a host that signs in by itself has its own account on a connection for each principal", async () => {
  const { guarded } = await start();
  const auth = { grant: "client_credentials", clientId: "robot", clientSecret: "robot-secret" };
  const { provider } = await runOAuth([entryFor(guarded.url, { isolation: "principal" }, auth)]);
  await until(() => provider("guarded").status().state === "running");
  const opened = (): number => guarded.seen.filter(({ what }) => what === "POST tools/list").length;
  for (const who of ["person:ann", "person:bob", "person:ann"]) await call(provider("guarded"), who);
  expect(opened()).toBe(2);
});
