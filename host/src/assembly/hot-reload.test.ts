/** A configuration that changes under a running host: what was added runs, what was removed ends, nobody is disturbed. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive, until } from "../bundles/bundles-for-tests.ts";
import { modern, openSession } from "../transport/client-for-tests.ts";
import { openStream, type OpenStream } from "../transport/stream-for-tests.ts";
import { makePlace, requires, type HeardEvent, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const begin = async (config: object = {}): Promise<{ place: Place; host: WholeHost; heard: readonly HeardEvent[] }> => {
  const place = makePlace();
  for (const name of ["one", "two", "three"]) place.bundle(name);
  place.configure({ bundles: [{ path: "one" }, { path: "two" }], ...config });
  const host = await place.start();
  await Promise.all([host.until("one", "running"), host.until("two", "running")]);
  return { place, host, heard: await host.follow() };
};

const configNews = (heard: readonly HeardEvent[]): readonly HeardEvent[] =>
  heard.filter(({ type }) => type.startsWith("config."));

describe("a changed file", () => {
  it("is taken over by itself: added runs, removed is gone, changed starts once more, the rest is left alone", async () => {
    const { place, host, heard } = await begin({ bundles: [{ path: "one" }, { path: "two" }, { path: "three" }] });
    await host.until("three", "running");
    place.bundle("four");
    place.configure({ bundles: [{ path: "two", env: { NEW: "1" } }, { path: "three" }, { path: "four" }] });
    await until(() => configNews(heard).length === 1);
    expect(configNews(heard)).toMatchObject([
      { type: "config.reloaded", data: { added: ["four"], removed: ["one"], changed: ["two"], keys: ["bundles"] } },
    ]);
    await Promise.all([host.until("two", "running"), host.until("four", "running")]);
    expect(host.stateOf("one")).toBeNull();
    expect(["one", "two", "three", "four"].map((name) => place.marks(name).filter(isAlive).length)).toEqual([
      0, 1, 1, 1,
    ]);
    expect(["one", "two", "three", "four"].map((name) => place.marks(name).length)).toEqual([1, 2, 1, 1]);
    expect(host.tools().map(({ name }) => name)).not.toContain("one__echo");
  });

  it("starts nothing anew for what is only shown, and that holds at once", async () => {
    const { place, host } = await begin();
    const ui = { name: "One", icon: "box" };
    place.configure({ bundles: [{ path: "one", protected: true, trustScore: 80, ui }, { path: "two" }] });
    expect(await host.bundles.reload()).toMatchObject({ added: [], removed: [], changed: [] });
    expect((await host.rest("GET", "/v1/apps/one")).json).toMatchObject({ protected: true, trustScore: 80, ui });
    expect(await host.rest("DELETE", "/v1/apps/one")).toMatchObject({ status: 403, json: { error: "protected" } });
    expect(place.marks("one")).toHaveLength(1);
  });

  it.each([
    ["removed", { bundles: [{ path: "two" }] }],
    ["changed", { bundles: [{ path: "one", env: { NEW: "1" } }, { path: "two" }] }],
  ])("gives the calls of a bundle that is %s their time", async (what, config) => {
    const { place, host } = await begin();
    const answer = host.call("one__slow", {});
    await until(() => place.evidence().some(({ event_type }) => event_type === "execution_started"));
    place.configure(config);
    const reloading = host.bundles.reload();
    await until(() => host.stateOf("one") !== "running");
    expect(place.marks("one").filter(isAlive)).toHaveLength(1);
    place.release("one");
    expect(await answer).toMatchObject({ outcome: "success" });
    await reloading;
    if (what === "changed") await host.until("one", "running");
    expect(place.marks("one").filter(isAlive)).toHaveLength(what === "changed" ? 1 : 0);
    expect(place.marks("one")).toHaveLength(what === "changed" ? 2 : 1);
  });

  it("does not keep the host from stopping, and leaves no process, while calls have their time", async () => {
    const { place, host } = await begin();
    const answer = host.call("one__slow", {});
    await until(() => place.evidence().some(({ event_type }) => event_type === "execution_started"));
    place.configure({ bundles: [{ path: "one", env: { NEW: "1" } }] });
    await host.bundles.reload();
    await host.stop();
    expect((await answer).outcome).toBe("indeterminate");
    expect([...place.marks("one"), ...place.marks("two")].filter(isAlive)).toEqual([]);
  });

  it.each([
    ["is no JSON", '{"bundles": [', /line|column|position/i],
    ["says what cannot be", '{"bundles": 5}', /^\/bundles: /],
    ["misspells a restriction", '{"hostResources": {"enabld": false}}', /^\/hostResources\/enabld: /],
  ])("that %s changes nothing, and is told with its errors", async (_, text, error) => {
    const { place, host, heard } = await begin();
    place.configure(text);
    await until(() => configNews(heard).length === 1);
    expect(configNews(heard)[0]?.type).toBe("config.rejected");
    expect(configNews(heard)[0]?.data["errors"][0]).toMatch(error);
    await expect(host.bundles.reload()).rejects.toMatchObject({ kind: "bad_request" });
    expect(await host.call("one__echo", {})).toMatchObject({ outcome: "success" });
    place.configure({ bundles: [{ path: "one" }] });
    await until(() => host.stateOf("two") === null);
    expect(place.marks("one")).toHaveLength(1);
    expect(place.evidence("config_rejected").length).toBeGreaterThan(0);
  });

  it("that is gone, or a folder, stops nothing", async () => {
    const { place, host, heard } = await begin();
    const file = join(place.dir, "bailiwick.json");
    rmSync(file);
    await until(() => configNews(heard).length === 1);
    mkdirSync(file);
    await until(() => configNews(heard).length === 2);
    expect(configNews(heard).map(({ type }) => type)).toEqual(["config.rejected", "config.rejected"]);
    expect([host.stateOf("one"), host.stateOf("two")]).toEqual(["running", "running"]);
  });

  it("says which keys hold only after a restart, and leaves them as they were", async () => {
    const { place, host } = await begin();
    place.configure({
      bundles: [{ path: "one" }, { path: "two" }],
      workDir: "elsewhere",
      http: { port: 1 },
      store: { type: "memory" },
      evidence: { durability: "batched" },
    });
    const { needRestart, changed } = await host.bundles.reload();
    expect(needRestart).toEqual(expect.arrayContaining(["workDir", "http", "store", "evidence"]));
    expect(changed).toEqual([]);
    expect((await host.rest("GET", "/v1/health")).status).toBe(200);
  });
});

describe("what the host writes itself", () => {
  it("is no news to it", async () => {
    const { place, host, heard } = await begin();
    // Longer than a change waits to be looked at, so that each would be seen for itself.
    const settled = (): Promise<void> => sleep(500);
    await host.bundles.install({ path: "three" });
    await settled();
    await host.bundles.uninstall("two");
    await settled();
    utimesSync(join(place.dir, "bailiwick.json"), new Date(), new Date());
    await settled();
    place.configure({ bundles: [{ path: "one" }, { path: "three" }], maxDirectTools: 7 });
    await until(() => configNews(heard).length > 0);
    expect(configNews(heard)).toHaveLength(1);
    expect(configNews(heard)[0]?.data).toMatchObject({ added: [], removed: [], changed: [] });
    expect(heard.map(({ type }) => type)).toEqual(expect.arrayContaining(["bundle.installed", "bundle.uninstalled"]));
    expect(place.marks("three")).toHaveLength(1);
  });
});

describe("open sessions", () => {
  const saidOf = (stream: OpenStream, method: string): boolean =>
    stream.events.some(({ message }) => message?.method === method);
  const LIST_CHANGED = "notifications/tools/list_changed";

  it("of both eras live on, and hear that the list changed", async () => {
    const { place, host } = await begin();
    const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
    await session.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    const legacy = openStream(host.origin, {
      method: "GET",
      headers: { ...session.headers, accept: "text/event-stream" },
    });
    const { headers = {}, body } = modern(
      "subscriptions/listen",
      { notifications: { toolsListChanged: true } },
      { authorization: `Bearer ${host.key}` },
    );
    const listening = openStream(host.origin, { headers, body: body as object });
    onTestFinished(() => {
      legacy.drop();
      listening.drop();
    });
    expect(await legacy.status).toBe(200);
    await listening.until(({ method }) => method === "notifications/subscriptions/acknowledged");
    place.configure({ bundles: [{ path: "one" }, { path: "three" }] });
    await until(() => [legacy, listening].every((stream) => saidOf(stream, LIST_CHANGED)));
    await host.until("three", "running");
    const listed = await session.call("tools/list");
    const names = (listed.json.result ?? listed.json[0].result).tools.map(({ name }: { name: string }) => name);
    expect(names).toContain("three__echo");
    expect(names).not.toContain("two__echo");
  });
});

describe("another workspace", () => {
  it("takes over its own file and what of the host's is its own too", async () => {
    const { place, host } = await begin({ bundles: [{ path: "one" }, { path: "two" }] });
    const folder = join(place.workDir, "workspaces", "ws_lab");
    const lab = (bundles: readonly object[]): void =>
      writeFileSync(join(folder, "workspace.json"), JSON.stringify({ noDefaultBundles: true, bundles }));
    mkdirSync(folder, { recursive: true });
    const reader = place.bundle("reader", requires("ai.nimblebrain/host-resources"));
    lab([{ path: reader }]);
    const stateOf = async (name: string): Promise<string | undefined> => {
      const { json } = await host.rest("GET", "/v1/apps", undefined, { "x-workspace-id": "ws_lab" });
      return (json.apps as { name: string; status: string }[]).find((app) => app.name === name)?.status;
    };
    const become = async (name: string, state: string | undefined): Promise<void> => {
      await expect.poll(() => stateOf(name), { timeout: 20_000 }).toBe(state);
    };
    await become("reader", "running");
    lab([{ path: reader }, { path: join(place.dir, "three") }]);
    await become("three", "running");
    expect(place.marks("reader")).toHaveLength(1);
    expect(host.stateOf("three")).toBeNull();
    place.configure({ bundles: [{ path: "one" }, { path: "two" }], hostResources: { enabled: false } });
    await become("reader", "refused");
    await expect.poll(() => place.marks("reader").filter(isAlive), { timeout: 20_000 }).toEqual([]);
    await become("three", "running");
    lab([]);
    await become("three", undefined);
  });
});
