/** Resources watched through a supervised provider: real processes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Provider } from "../kernel/provider.ts";
import { rawMembers } from "../kernel/raw-json.ts";
import {
  FIXTURES,
  fixtureManifest,
  makeBundle,
  makeWorkDir,
  readLines,
  runBundles,
  toolCall,
  untilRunning,
} from "./bundles-for-tests.ts";

const touch = (provider: Provider, uri: string, tool = "touch"): Promise<unknown> =>
  provider.send({ ...toolCall(tool), params: rawMembers(`"name":"${tool}","arguments":{"uri":"${uri}"}`) });

const start = async (mode: "legacy" | "modern"): Promise<{ provider: Provider; asked: () => string[] }> => {
  const dir = makeWorkDir();
  const file = join(dir, "asked");
  const manifest = fixtureManifest("watched");
  const args = [join(FIXTURES, "watched-server.mjs"), mode, file];
  makeBundle(dir, "watched", {
    ...manifest,
    server: { ...(manifest["server"] as object), mcp_config: { command: "node", args } },
  });
  const { provider } = await runBundles(dir, { bundles: [{ path: "watched" }] });
  return { provider: provider("watched"), asked: () => readLines(file) };
};

describe("a resource of a legacy server", () => {
  test("is subscribed once for many, tells each of them, and is given up with the last", async () => {
    const { provider, asked } = await start("legacy");
    await untilRunning(provider);
    const heard: string[] = [];
    const first = provider.watch("test://a", () => heard.push("first"));
    const second = provider.watch("test://a", () => heard.push("second"));
    await expect.poll(asked).toEqual(["subscribe test://a"]);
    await touch(provider, "test://a");
    await expect.poll(() => heard).toEqual(["first", "second"]);
    if (first) first();
    await touch(provider, "test://a");
    await expect.poll(() => heard).toEqual(["first", "second", "second"]);
    if (second) second();
    await expect.poll(asked).toEqual(["subscribe test://a", "unsubscribe test://a"]);
  });

  test("is told of when something below it changes", async () => {
    const { provider } = await start("legacy");
    await untilRunning(provider);
    const heard: string[] = [];
    provider.watch("test://dir", () => heard.push("dir"));
    await touch(provider, "test://dir/file", "below");
    await expect.poll(() => heard).toEqual(["dir"]);
  });

  test("is subscribed again after a crash, which counts as a change, and was kept while the server was down", async () => {
    const { provider, asked } = await start("legacy");
    const heard: string[] = [];
    // Nobody knows yet whether it can tell.
    expect(provider.watch("test://a", () => heard.push("a"))).not.toBe(false);
    await untilRunning(provider);
    await expect.poll(() => heard).toEqual(["a"]);
    await touch(provider, "test://a", "crash").catch(() => null);
    await expect.poll(() => heard).toEqual(["a", "a"]);
    await expect.poll(asked).toEqual(["subscribe test://a", "subscribe test://a"]);
    await touch(provider, "test://a");
    await expect.poll(() => heard).toEqual(["a", "a", "a"]);
  });
});

test("a resource of a modern server is listened for over its pipe, and the wish can change", async () => {
  const { provider } = await start("modern");
  await untilRunning(provider);
  const heard: string[] = [];
  const end = provider.watch("test://a", () => heard.push("a"));
  await expect.poll(() => touch(provider, "test://a").then(() => heard)).toContain("a");
  provider.watch("test://b", () => heard.push("b"));
  await expect.poll(() => touch(provider, "test://b").then(() => heard)).toContain("b");
  if (end) end();
  heard.length = 0;
  await touch(provider, "test://a");
  await expect.poll(() => touch(provider, "test://b").then(() => heard)).toContain("b");
  expect(heard).not.toContain("a");
});

test("a server that cannot tell of its resources says so", async () => {
  const dir = makeWorkDir();
  makeBundle(dir, "fixture", fixtureManifest("fixture"));
  const { provider } = await runBundles(dir, { bundles: [{ path: "fixture" }] });
  await untilRunning(provider("fixture"));
  expect(provider("fixture").watch("test://a", () => {})).toBe(false);
});

test("that a server asks while calls of several callers run is still known after the next boot", async () => {
  const dir = makeWorkDir();
  const manifest = fixtureManifest("asking");
  const mcp_config = { command: "node", args: [join(FIXTURES, "asking-server.mjs"), "stdio"] };
  makeBundle(dir, "asking", { ...manifest, server: { ...(manifest["server"] as object), mcp_config } });
  const file = join(dir, "workspaces/ws_default/definitions/asking.json");
  const isMarked = (): boolean => (JSON.parse(readFileSync(file, "utf8")) as { asks?: unknown }).asks === true;
  const first = await runBundles(dir, { bundles: [{ path: "asking" }] });
  const provider = first.provider("asking");
  await untilRunning(provider);
  const silent = provider.send({ ...toolCall("silent"), owner: "ann" });
  silent.catch(() => null);
  const questions = '[{"id":"q","method":"elicitation/create","params":"{}"}]';
  const params = rawMembers(`"name":"ask","arguments":{"questions":${questions}}`);
  const { json } = await provider.send({ ...toolCall("ask"), params, owner: "bob" });
  expect(json).toContain("-32600");
  await expect.poll(isMarked).toBe(true);
  await first.bundles.stop();
  const second = await runBundles(dir, { bundles: [{ path: "asking" }] });
  await untilRunning(second.provider("asking"));
  await second.bundles.stop();
  expect(isMarked()).toBe(true);
});
